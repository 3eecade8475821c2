/**
 * T4: the text without plaintexts of tokens, in whatever percent-encoding. Somebody may paste one where an id belongs, and
 * whatever repeats it would carry it into a log, a screen or a browser's history. `issued` are the tokens that stay.
 */
export function tokenFree(text: string, issued: readonly string[] = []): string {
  return text.replace(run, (encoded) => {
    const plain = decodedThroughout(encoded);
    const shown = plain.replace(token, (found) => (issued.includes(found) ? found : "ppr_…"));
    return shown === plain ? encoded : shown;
  });
}

/** Also one that was cut off or mistyped. */
const token = /ppr_[0-9A-Za-z]{16,}/g;
/** What a token may stand in: it has no other characters, however often it was encoded. */
const run = /[0-9A-Za-z_%]{20,}/g;

/**
 * Percent-decoded until nothing is left to decode, in one pass: each character that comes out may end another `%` and its two
 * digits. Bytes above ASCII stay encoded.
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
