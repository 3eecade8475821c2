/** What a forged line says. It may stand in the middle of a line, never at its beginning. */
export const forgery = "FORGED: all is well";

/** A token that somebody pasted where something else belongs. */
export const pastedToken = "ppr_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrs";

/** Every line break that a terminal, a browser or an editor knows. */
const lineBreaks = ["\n", "\r\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029"];

/** Escape sequences, C0, DEL, C1, writing direction, and what takes no place. */
const steering = [
  "\u001b[2J",
  "\u001b[31mRED\u001b[39m",
  "\u001b]0;title\u0007",
  "\u0008\u007f",
  "\u009b31m",
  "\u061c\u200e\u200f\u202a\u202e\u2066\u2069",
  "\u200b\u2060\ufeff\ufff9",
  "\u{e0041}",
];

/**
 * All of it in one text that PostgreSQL, JSON and an environment variable can hold; some things show its
 * beginning only.
 */
export const hostileText = `x\n${forgery}${steering.join(".")}${lineBreaks.map((end) => end + forgery).join("")}`;

/** The program's own colours; on a terminal nothing else begins with an escape character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with the escape character
const ownColour = /\u001b\[(1|2|22|31|32|33|39)m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the line of a progress bar
const progressLine = /\r([^\r\n]*)\u001b\[K/g;
const unsafe =
  /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/**
 * What a text does to whoever looks at it, in words; empty when it does nothing. `\n` and, on a terminal,
 * colours pass.
 */
export function outputFaults(text: string, isTerminal: boolean): readonly string[] {
  const faults: string[] = [];
  // Quoted text must not even keep its harmless colours.
  if (text.includes("\u001b[31mRED"))
    faults.push(`a foreign colour ${around(text, text.indexOf("[31mRED"))}`);
  const bare = isTerminal ? text.replace(progressLine, "$1").replace(ownColour, "") : text;
  for (const { 0: character, index } of bare.matchAll(unsafe)) {
    if (character === "\n") continue;
    faults.push(`U+${character.codePointAt(0)?.toString(16)} ${around(bare, index)}`);
  }
  for (const line of bare.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/)) {
    if (line.startsWith(forgery)) faults.push(`a forged line after ${around(bare, bare.indexOf(line))}`);
  }
  return faults;
}

function around(text: string, index: number): string {
  return `in ${JSON.stringify(text.slice(Math.max(0, index - 60), index + 20))}`;
}
