/** A word that was encoded twice, and what it was before. */
export interface GarbledWord {
  /** As it is stored and published: `FÃ¼r`. */
  readonly stored: string;
  /** What was probably meant: `Für`. */
  readonly meant: string;
}

/**
 * The first word of the text whose UTF-8 was once read as Windows-1252 and written as UTF-8 again; `undefined` when none looks like
 * that. Nothing is repaired by it: it is a hint for people, and what the source says is what is published.
 */
export function garbledWord(text: string): GarbledWord | undefined {
  for (const stored of text.split(/\s/)) {
    const meant = stored.replace(/[^\0-\x7f]+/g, (run) => decodedOnce(run) ?? run);
    if (meant !== stored) return { stored, meant };
  }
  return undefined;
}

/** What the bytes of Windows-1252 behind the characters say as UTF-8. */
function decodedOnce(run: string): string | undefined {
  const bytes: number[] = [];
  for (const character of run) {
    const byte = byteOf.get(character);
    if (byte === undefined) return undefined;
    bytes.push(byte);
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes));
    return plausible.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

const byteOf: ReadonlyMap<string, number> = new Map(
  [...new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 256 }, (_, byte) => byte))].map(
    (character, byte) => [character, byte],
  ),
);

/**
 * Letters of Europe, of Hebrew and Arabic, and signs of typography. By chance two honest characters make others: `É–` is also what `ɖ`
 * would be.
 */
const plausible = /^[\u00a0-\u017f\u0370-\u06ff\u2010-\u2122]+$/;
