import type { Report } from "./problem.ts";

/** `null` for a text that is absent or shows nothing (D7). */
export function presentText(text: string | null): string | null {
  return text === null || blank.test(text) ? null : text;
}

/**
 * Blank texts are dropped with a warning (D35). The elements of a two-dimensional `text[]` are arrays; they stay, so that the
 * schema refuses the program.
 */
export function presentTexts(
  texts: readonly (string | null)[] | null,
  field: string,
  report: Report,
): string[] {
  const present: string[] = [];
  texts?.forEach((text, at) => {
    if (text === null || (typeof text === "string" && blank.test(text)))
      report("text_missing", `${field}[${at}]`, text);
    else present.push(text);
  });
  return present;
}

/** White space of Unicode, and characters without width: zero-width spaces and joiners, the byte order mark. */
const blank = /^[\p{White_Space}\u200b-\u200d\u2060\ufeff]*$/u;
