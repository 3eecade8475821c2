/**
 * T4: the text without plaintexts of tokens. Somebody may paste one where an id belongs, and whatever repeats it would carry
 * it into a log, a screen or a browser's history. `issued` are the tokens that stay.
 */
export function tokenFree(text: string, issued: readonly string[] = []): string {
  return text.replace(token, (found) => (issued.includes(found) ? found : "ppr_…"));
}

/** Also one that was cut off or mistyped. */
const token = /ppr_[0-9A-Za-z]{16,}/g;
