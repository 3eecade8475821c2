import { readFile } from "node:fs/promises";
import { Failure } from "../../../../core/failure.ts";
import { type PasswordHash, parsePasswordHash } from "./password-hash.ts";

/** The people who may sign in, by name. */
export type Accounts = ReadonlyMap<string, PasswordHash>;

export const accountName = /^[A-Za-z0-9._@-]{1,64}$/;

/**
 * P64: reads the present content of the file with names and hashes, for each request. So a name that is taken out of the file, or
 * gets another password, is refused from the next request on. Throws `settings` when it can't be read or understood.
 */
export async function readAccounts(path: string): Promise<Accounts> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new Failure("settings", `The password file ${path} can't be read (${code}).`, { cause: error });
  });
  return parsedAccounts(text, path);
}

/** One `NAME:HASH` per line; empty lines and those that begin with `#` are passed over. Throws `settings`. */
function parsedAccounts(text: string, path: string): Accounts {
  const accounts = new Map<string, PasswordHash>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon));
    const hash = parsePasswordHash(line.slice(colon + 1).trim());
    // The line itself is not repeated: it may hold a password.
    if (!accountName.test(name) || hash === undefined) {
      throw new Failure(
        "settings",
        `Line ${at + 1} of the password file ${path} is not as \`partner-programs inspect-password NAME\` prints it.`,
      );
    }
    if (accounts.has(name)) throw new Failure("settings", `The password file ${path} has ${name} twice.`);
    accounts.set(name, hash);
  }
  if (accounts.size === 0) {
    throw new Failure(
      "settings",
      `The password file ${path} names nobody: add lines with \`partner-programs inspect-password NAME\`.`,
    );
  }
  return accounts;
}
