import { Command } from "commander";
import { Failure } from "../../core/failure.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, type Shell } from "../shell/shell.ts";
import { accountName } from "../support/pages/access/password-file.ts";
import { passwordHash, passwordHashText } from "../support/pages/access/password-hash.ts";

/** `inspect-password`: reads a password from standard input and prints a line for the password file of `inspect`. */
export function inspectPassword(shell: Shell): Command {
  return new Command()
    .argument("<name>", "who signs in with it: letters, digits and ._@-")
    .action(action(shell, run));
}

/** A password of this length is too costly to guess from a stolen hash. */
const minLength = 12;
const maxLength = 1024;

async function run(shell: Shell, name: string): Promise<ExitStatus> {
  if (!accountName.test(name)) {
    throw new Failure("usage", `${name} can't be a name: 1 to 64 letters, digits and ._@-`);
  }
  // The password is no argument, since every user of the machine can read arguments in the list of processes.
  const password = await firstLine(shell.stdin);
  if (password.length < minLength || password.length > maxLength) {
    throw new Failure(
      "usage",
      `Give a password of at least ${minLength} characters on standard input: \`umask 077; read -rs P; printf %s "$P" | partner-programs inspect-password ${name} >> FILE\`.`,
    );
  }
  shell.stdout.write(`${name}:${passwordHashText(await passwordHash(password))}\n`);
  return 0;
}

async function firstLine(stdin: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    chunks.push(chunk);
    length += chunk.length;
    if (chunk.includes(0x0a) || length > 4 * maxLength) break;
  }
  return Buffer.concat(chunks).toString("utf8").split(/\r?\n/, 1)[0] ?? "";
}
