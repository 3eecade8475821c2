import { escaped, escapedLines } from "../../core/printable.ts";
import type { Output } from "../shell/shell.ts";
import { tokenFree } from "../shell/token-free.ts";
import { betweenCodes } from "./layout.ts";

/**
 * The last safeguard for everything that is printed. Foreign values are made safe earlier, where they are put into a
 * sentence, a cell or a failure: only there can they be kept from forging lines. This output catches what was forgotten. It
 * shows every control character as `\uXXXX`, which leaves JSON the same data. Only line breaks pass, and on a terminal the
 * program's own colours and the redrawing of a progress line. Plaintexts of tokens are replaced, unless they are `issued`.
 *
 * Bytes are for programs and pass unchanged. On a terminal they are treated like text.
 */
export function safeOutput(output: Output): Output {
  return {
    write(chunk, issued) {
      if (typeof chunk !== "string" && !output.isTTY) output.write(chunk);
      else {
        const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
        output.write(harmless(tokenFree(text, issued), output.isTTY));
      }
    },
    get isTTY() {
      return output.isTTY;
    },
    get columns() {
      return output.columns;
    },
  };
}

function harmless(text: string, isTerminal: boolean): string {
  const line = isTerminal ? redrawn.exec(text)?.[1] : undefined;
  if (line !== undefined) return `\r${betweenCodes(line, escaped)}\u001b[K`;
  return isTerminal ? betweenCodes(text, escapedLines) : escapedLines(text);
}

/** A progress line: it returns to the beginning of the line, and ends with the code that wipes the rest of it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a progress line ends with a terminal's code
const redrawn = /^\r([^\n\r]*)\u001b\[K$/;
