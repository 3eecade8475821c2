import { readFileSync, statSync } from "node:fs";
import { Failure } from "./failure.ts";
import { optional, type Setting, SettingFault, setting, settingText } from "./setting-parser.ts";

/** A setting whose value may also be the content of a file, which `NAME_FILE` names. Docker and Kubernetes provide secrets as files. */
export function mayBeInFile<Value>(secret: Setting<Value>): Setting<Value> {
  return {
    ...secret,
    textInFile: (env) => {
      const path = settingText(`${secret.name}_FILE`, env);
      try {
        return path === undefined ? undefined : secretIn(path);
      } catch {
        // A file that cannot be read is the fault of `NAME_FILE`.
        return undefined;
      }
    },
  };
}

/** The setting `NAME_FILE` (P100). It is faulty when the file cannot be read, or when the variable `NAME` differs from it. */
export function secretFile(name: string): Setting<string | undefined> {
  return setting(
    `${name}_FILE`,
    `a file whose content is the value of \`${name}\`; it is read again for each new connection`,
    optional((path, env) => {
      const secret = secretIn(path);
      const stated = settingText(name, env);
      if (stated === undefined || stated === secret) return path;
      throw new SettingFault(`and ${name} say different things; unset one of them`);
    }),
  );
}

/**
 * The value for a new connection (P100): what the file at `path`, the value of `NAME_FILE`, says now. Without such a file it is
 * `atStart`. Throws `settings`.
 */
export function valueNow<Value>(secret: Setting<Value>, path: string | undefined, atStart: Value): Value {
  if (path === undefined) return atStart;
  let place = `${secret.name}_FILE`;
  try {
    const text = secretIn(path);
    place = `${secret.name}, in ${path},`;
    return secret.parse(text, {});
  } catch (error) {
    if (error instanceof SettingFault) throw new Failure("settings", `${place} ${error.message}.`);
    throw error;
  }
}

/** A larger file is no secret, but the path is wrong. */
const maxBytes = 16 * 1024;

/** The secret in the file. Throws a `SettingFault`, which never quotes the file. */
export function secretIn(path: string): string {
  let secret: string;
  try {
    const found = statSync(path);
    // A pipe gives its content once and may block for ever, and a device may have no end.
    if (!found.isFile()) throw new SettingFault("names a folder, a pipe or a device; name a regular file");
    if (found.size > maxBytes) throw new SettingFault(`names a file of over ${maxBytes} bytes`);
    // Editors and `echo` end a file with a line break, which is no part of the secret.
    secret = readFileSync(path, "utf8").trim();
  } catch (error) {
    if (error instanceof SettingFault) throw error;
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new SettingFault(`names a file that cannot be read (${reason})`);
  }
  if (secret === "") throw new SettingFault("names a file that is empty");
  if (/\p{Cc}/u.test(secret)) throw new SettingFault("names a file of more than one line");
  return secret;
}
