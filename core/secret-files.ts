import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { type Environment, type Setting, SettingFault, settingText } from "./setting-parser.ts";
import { text } from "./setting-types.ts";

/** Secrets that may stand in a file, whose path `NAME_FILE` says: that is how Docker and Kubernetes hand them over. */
export const secretNames = [
  "DATABASE_URL",
  "REDIS_URL",
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
] as const;
export type SecretName = (typeof secretNames)[number];

/** The setting `NAME_FILE` (P100). It is faulty when the file cannot be read, or the variable says something else. */
export function secretFile(name: SecretName): Setting<string | undefined> {
  return text<string | undefined>({
    name: `${name}_FILE`,
    about: `a file whose content is the value of \`${name}\`; it is read once, at the start`,
    fallbackText: "none",
    fallback: () => undefined,
    parse: (path, env) => {
      const secret = secretIn(path);
      const stated = settingText(name, env);
      if (stated !== undefined && stated !== secret) {
        throw new SettingFault(`and ${name} say different things; unset one of them`);
      }
      return path;
    },
    show: (path) => path ?? "none",
  });
}

/**
 * The secrets of these names that stand in files. What cannot be read is left out: parsing the settings says so. They
 * belong into the process environment, where the AWS SDK looks for its keys.
 */
export function secretsFromFiles(
  names: readonly SecretName[],
  env: Environment,
): Readonly<Record<string, string>> {
  const secrets: Record<string, string> = {};
  for (const name of names) {
    const path = settingText(`${name}_FILE`, env);
    if (path === undefined || settingText(name, env) !== undefined) continue;
    try {
      secrets[name] = secretIn(path);
    } catch (error) {
      if (!(error instanceof SettingFault)) throw error;
    }
  }
  return secrets;
}

/** More is no secret but a mistaken path. */
const maxBytes = 16 * 1024;

/** Throws a `SettingFault`, which never repeats what the file holds. */
function secretIn(path: string): string {
  const bytes = contentOf(path);
  // Editors and `echo` end a file with a line break, which belongs to no secret.
  const secret = bytes.toString("utf8").trim();
  if (secret === "") throw new SettingFault("names a file that is empty");
  if (/\p{Cc}/u.test(secret)) throw new SettingFault("names a file of more than one line");
  return secret;
}

/** A pipe gives its content once and may keep its reader waiting for ever, and a device may have no end. */
function contentOf(path: string): Buffer {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = fstatSync(file);
    if (!found.isFile()) throw new SettingFault("names a folder, a pipe or a device; name a regular file");
    if (found.size > maxBytes) throw new SettingFault(`names a file of over ${maxBytes} bytes`);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof SettingFault) throw error;
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new SettingFault(`names a file that cannot be read (${reason})`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
