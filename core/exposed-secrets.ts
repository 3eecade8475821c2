import { realpathSync, statSync } from "node:fs";
import { dirname, sep } from "node:path";
import type { SecretName } from "./secret-files.ts";
import type { Environment } from "./setting-parser.ts";
import { settingText } from "./setting-parser.ts";

/**
 * P187: one warning, with the fix, for each of these files that every account of the machine can read. A file below a
 * folder that others may not enter is not exposed, and neither is one that its group alone reads. A file that is missing is
 * left to whoever reads it.
 *
 * Container platforms mount secrets for all accounts of a container, in which there is only one: Docker below
 * `/run/secrets`, Kubernetes behind a link named `..data`. Their modes are not the operator's to choose.
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

/** The files that the environment names for these secrets, and those that Node.js read variables from (`--env-file`). */
export function secretPaths(
  names: readonly SecretName[],
  env: Environment,
  nodeArguments: readonly string[],
): readonly string[] {
  const named = names.flatMap((name) => settingText(`${name}_FILE`, env) ?? []);
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
