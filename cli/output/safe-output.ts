import { escaped, escapedLines } from "../../core/ground/printable.ts";
import type { Output } from "../shell/shell.ts";
import { betweenCodes } from "./layout.ts";

/**
 * The last safeguard for everything that is printed. Foreign values are made safe earlier, where they are put
 * into a sentence, a cell or a failure: only there can they be kept from forging lines. This output catches
 * what was forgotten. It shows every control character as `\uXXXX`, which leaves JSON the same data. Only
 * line breaks pass, and on a terminal the program's own colours and the redrawing of a progress line.
 * Plaintexts of tokens are replaced, unless they are `issued`.
 *
 * Bytes are for programs and pass unchanged. On a terminal they are treated like text.
 */
export function safeOutput(stream: Stream): Output {
  const isTTY = stream.isTTY === true;
  return {
    write(chunk, issued) {
      if (typeof chunk !== "string" && !isTTY) stream.write(chunk);
      else {
        const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
        stream.write(harmless(tokenFree(text, issued), isTTY));
      }
    },
    isTTY,
    // People change the width of a terminal.
    get columns() {
      return stream.columns ?? 80;
    },
  };
}

/** Standard output or standard error, as Node.js has them. */
interface Stream {
  write(chunk: string | Uint8Array): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

function harmless(text: string, isTerminal: boolean): string {
  const line = isTerminal ? redrawn.exec(text)?.[1] : undefined;
  if (line !== undefined) return `\r${betweenCodes(line, escaped)}\u001b[K`;
  return isTerminal ? betweenCodes(text, escapedLines) : escapedLines(text);
}

/** A progress line: it returns to the line's beginning, and ends with the code that wipes the rest. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a progress line ends with a terminal's code
const redrawn = /^\r([^\n\r]*)\u001b\[K$/;

/**
 * Replaces the plaintexts of tokens in a text, also percent-encoded ones (T4). People paste a token where an
 * id belongs, and a message that repeats it would carry it into a log, a screen or a browser's history.
 * `issued` are tokens that stay.
 */
export function tokenFree(text: string, issued: readonly string[] = []): string {
  if (!trace.test(text)) return text;
  return text.replace(run, (encoded) => {
    // A token that was copied from a terminal may have an encoded line break in it.
    const plain = decodedThroughout(encoded).replaceAll(/[\s\p{Cc}]/gu, "");
    const shown = plain.replace(token, (found) => (issued.includes(found) ? found : "ppr_…"));
    return shown === plain ? encoded : shown;
  });
}

/** Also a token cut off, or with its prefix in another case, since the secret follows all the same. */
const token = /ppr_[0-9A-Za-z]{16,}/gi;
/** A text without it has no token: looking for this is much quicker than looking at each run. */
const trace = /ppr_|%/i;
/** A run of characters that may hold a token: even one that was encoded several times has only these. */
const run = /[0-9A-Za-z_%]{20,}/g;

/**
 * The text percent-decoded until nothing is left to decode. One pass is enough, since each decoded character
 * is at once tried as the last digit of another `%XX`. Bytes above ASCII stay encoded.
 */
export function decodedThroughout(text: string): string {
  if (!text.includes("%")) return text;
  const decoded: string[] = [];
  for (let next of text) {
    for (;;) {
      const high = decoded.at(-1) ?? "";
      if (decoded.at(-2) !== "%" || !/^[0-7]$/.test(high) || !/^[0-9A-Fa-f]$/.test(next)) break;
      decoded.length -= 2;
      next = String.fromCharCode(Number.parseInt(high + next, 16));
    }
    decoded.push(next);
  }
  return decoded.join("");
}
