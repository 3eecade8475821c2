import { readScope } from "../../core/token-registry.ts";
import type { IssuedToken } from "../operate/tokens/issue-token.ts";
import { tokenLines, tokenMetadata } from "../operate/tokens/token-text.ts";
import { printJson, type Shell } from "../shell/shell.ts";

/**
 * Prints a new token for the only time (T4). The plaintext stands alone on standard output, so that it can be piped into a
 * secret store; everything else goes to standard error. With `json`, one object on standard output has all of it.
 */
export function printIssuedToken(shell: Shell, issued: IssuedToken, json: boolean): void {
  if (!issued.entry.scopes.includes(readScope)) shell.stderr.write(uselessToken);
  if (json) {
    printJson(shell, { token: issued.plaintext, ...tokenMetadata(issued.entry) }, [issued.plaintext]);
    return;
  }
  shell.stderr.write(tokenLines(issued.entry));
  shell.stdout.write(`${issued.plaintext}\n`, [issued.plaintext]);
}

const uselessToken = `WARNING: this token lacks the scope ${readScope}; every request with it is answered 403 forbidden.\n`;
