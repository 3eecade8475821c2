/**
 * Foreign text (rows, errors of the database and the store, stored documents, logs, arguments, settings,
 * names of files) for people. This file alone says which characters steer a terminal or a browser, and how
 * they are shown: as `\uXXXX`, which JSON takes for the same data.
 */

/**
 * Running text on one line. White space becomes one space and steering characters become visible, so that a
 * program's name can neither forge nor hide output.
 */
export function printable(text: string): string {
  return escaped(text.replace(/\s+/g, " "));
}

/** Like `printable`, for text whose spaces mean something: only line breaks and tabs become spaces. */
export function singleLine(text: string): string {
  return escaped(text.replace(lineBreaks, " "));
}

/** A message's lines, each a `singleLine`. All but the first are indented: none passes for another kind. */
export function printableLines(text: string): string {
  return text.split("\n").map(singleLine).join("\n  ");
}

/** A text with its lines and tabs, for a page. */
export function visible(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(steering, (character) => (character === "\t" ? character : codes(character)));
}

/** JSON with `indent` spaces (0: one line). What `JSON.stringify` leaves raw for a terminal is escaped. */
export function printableJson(value: unknown, indent = 2): string {
  return escapedLines(JSON.stringify(value, null, indent));
}

/** Makes all steering characters visible, line breaks too. */
export function escaped(text: string): string {
  return escapedLines(text).replaceAll("\n", codes);
}

/** Makes all steering characters visible but line breaks. */
export function escapedLines(text: string): string {
  return text.replace(steering, codes);
}

/** The beginning of the text if it is longer than `max` characters, with an ellipsis. */
export function shortened(text: string, max: number): string {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("")}…`;
}

/**
 * The text without its middle if it is longer than `max` code units. A database quotes values of any size in
 * its errors, and what is to be done stands behind the quote.
 */
export function withoutMiddle(text: string, max = 1000): string {
  if (text.length <= max) return text;
  const start = text.slice(0, Math.floor(max * 0.6)).replace(/[\ud800-\udbff]$/, "");
  const end = text.slice(start.length - max + 1).replace(/^[\udc00-\udfff]/, "");
  return `${start}…${end}`;
}

function codes(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/**
 * C0 (but for the line break), DEL and C1 controls; halves of surrogate pairs; characters that turn the
 * writing direction (U+061C, U+200E to U+200F, U+202A to U+202E, U+2066 to U+2069), end a line (U+2028,
 * U+2029) or take no place: zero-width spaces and joiners of words, interlinear annotation, tags.
 * Right-to-left text itself needs none of them. U+200C and U+200D stay: Persian, the scripts of India and
 * emoji are written with them.
 */
const steering =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
  /[\0-\t\v-\x1f\x7f-\x9f\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const lineBreaks = /\r\n|[\t\n\v\f\r\u0085\u2028\u2029]/g;
