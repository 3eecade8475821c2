import { escaped } from "../../core/printable.ts";
import type { Output } from "../shell/shell.ts";
import { tokenFree } from "../shell/token-free.ts";
import { betweenCodes } from "./style.ts";

/**
 * The net below everything that is printed. Values of foreign origin are made safe where they are put into a sentence, a
 * cell or a failure, which alone keeps them from forging lines; whatever slips through ends here. Only line breaks pass,
 * and on a terminal the program's own colours and the redrawing of a progress line; every other control character is
 * shown as `\uXXXX`, which leaves JSON the same data. No token's plaintext passes, but for one that is being issued.
 *
 * Bytes are for programs and pass as they are; on a terminal they are text like any other.
 */
export function safeOutput(output: Output): Output {
  return {
    write(chunk, issued) {
      if (typeof chunk !== "string" && !output.isTTY) output.write(chunk);
      else {
        const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
        output.write(netted(tokenFree(text, issued), output.isTTY));
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

function netted(text: string, isTerminal: boolean): string {
  const line = isTerminal ? redrawn.exec(text)?.[1] : undefined;
  if (line !== undefined) return `\r${betweenCodes(line, escaped)}\u001b[K`;
  return text
    .split("\n")
    .map((part) => (isTerminal ? betweenCodes(part, escaped) : escaped(part)))
    .join("\n");
}

/** A progress line: it goes back to the beginning of its line and wipes what is left of the line before. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it ends with a terminal's code
const redrawn = /^\r([^\n\r]*)\u001b\[K$/;
