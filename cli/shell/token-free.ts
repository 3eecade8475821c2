/**
 * T4: the text without plaintexts of tokens. Somebody may paste one where an id belongs, and whatever repeats it would carry
 * it into a log, a screen or a browser's history. `issued` is the one token that stays.
 */
export function tokenFree(text: string, issued?: string): string {
  return text.replace(token, (found) => (found === issued ? found : "ppr_…"));
}

/** Also one that was cut off or mistyped. */
const token = /ppr_[0-9A-Za-z]{16,}/g;
