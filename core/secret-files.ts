import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, sep } from "node:path";
import { Failure } from "./failure.ts";
import {
  type Environment,
  optional,
  type Setting,
  SettingFault,
  setting,
  settingText,
} from "./setting-parser.ts";

/** A setting whose value may also be the content of a file, which `NAME_FILE` names. Docker and Kubernetes provide secrets as files. */
export function mayBeInFile<Value>(secret: Setting<Value>): Setting<Value> {
  return {
    ...secret,
    // A file that cannot be read is the fault of `NAME_FILE`.
    textInFile: (env) => {
      const path = settingText(`${secret.name}_FILE`, env);
      if (path === undefined) return undefined;
      try {
        return secretIn(path);
      } catch (error) {
        if (error instanceof SettingFault) return undefined;
        throw error;
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
      if (stated !== undefined && stated !== secret) {
        throw new SettingFault(`and ${name} say different things; unset one of them`);
      }
      return path;
    }),
  );
}

/**
 * The value for a new connection (P100): what the file at `path`, the value of `NAME_FILE`, says now. Without such a file it is
 * `atStart`. Throws `settings`.
 */
export function valueNow<Value>(secret: Setting<Value>, path: string | undefined, atStart: Value): Value {
  if (path === undefined) return atStart;
  let fault = `${secret.name}_FILE`;
  try {
    const text = secretIn(path);
    fault = `${secret.name}, in ${path},`;
    return secret.parse(text, {});
  } catch (error) {
    if (error instanceof SettingFault) throw new Failure("settings", `${fault} ${error.message}.`);
    throw error;
  }
}

/** A larger file is no secret, but the path is wrong. */
const maxBytes = 16 * 1024;

/** The secret in the file. Throws a `SettingFault`, which never quotes the file. */
export function secretIn(path: string): string {
  const bytes = contentOf(path);
  // Editors and `echo` end a file with a line break, which is no part of the secret.
  const secret = bytes.toString("utf8").trim();
  if (secret === "") throw new SettingFault("names a file that is empty");
  if (/\p{Cc}/u.test(secret)) throw new SettingFault("names a file of more than one line");
  return secret;
}

/** Reads regular files only: a pipe gives its content once and may block for ever, and a device may have no end. */
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

/**
 * P187: one warning, with the fix, for each of these files that every account of the machine can read. A file in a closed folder
 * is not exposed, and neither is one that only its group may read. A missing file fails when it is read.
 *
 * Container platforms mount secrets for all accounts of a container, which has only one: Docker below `/run/secrets`, Kubernetes
 * behind a link named `..data`. Their modes are not the operator's to choose.
 */
export function exposedSecretWarnings(paths: readonly string[]): readonly string[] {
  return paths
    .filter(isExposed)
    .map(
      (path) =>
        `Every account of this machine can read the secret in ${path}. Let its owner alone read it (\`chmod 600 ${path}\`), ` +
        "or its owner and a group (640), and change the secret if others may have seen it.",
    );
}

/** The files that the environment names for these settings, and the files of Node's `--env-file`. */
export function secretPaths(
  settings: Readonly<Record<string, Pick<Setting<unknown>, "name" | "textInFile">>>,
  env: Environment,
  nodeArguments: readonly string[],
): readonly string[] {
  const named = Object.values(settings)
    .filter(({ textInFile }) => textInFile !== undefined)
    .flatMap(({ name }) => settingText(`${name}_FILE`, env) ?? []);
  const envFiles = nodeArguments.flatMap((argument, at) => {
    const [option, value] = argument.split(/=(.*)/s);
    if (option !== "--env-file" && option !== "--env-file-if-exists") return [];
    return value ?? nodeArguments[at + 1] ?? [];
  });
  return [...named, ...envFiles];
}

const readableByOthers = 0o004;
const enterableByOthers = 0o001;

function isExposed(path: string): boolean {
  try {
    const file = realpathSync(path);
    if (isMountedSecret(path) || isMountedSecret(file)) return false;
    if ((statSync(file).mode & readableByOthers) === 0) return false;
    for (let folder = dirname(file); ; folder = dirname(folder)) {
      if ((statSync(folder).mode & enterableByOthers) === 0) return false;
      if (folder === dirname(folder)) return true;
    }
  } catch {
    return false;
  }
}

/** Kubernetes keeps the files of a volume in a folder `..<time>`, which the link `..data` leads to. */
function isMountedSecret(path: string): boolean {
  return (
    /^(?:\/var)?\/run\/secrets\//.test(path) ||
    path.split(sep).some((name) => name.startsWith("..") && name.length > 2)
  );
}
