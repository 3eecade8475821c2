export interface GarbledWord {
  /** The word as it is stored and published: `FÃ¼r`. */
  readonly stored: string;
  /** The word that was probably meant: `Für`. */
  readonly meant: string;
}

/**
 * The first word that looks as if its UTF-8 had been read as Windows-1252 and encoded again; `undefined` when there is none. This
 * is a hint for people: the text is published as the source has it.
 */
export function garbledWord(text: string): GarbledWord | undefined {
  for (const stored of text.split(/\s/)) {
    const meant = stored.replace(/[^\0-\x7f]+/g, (run) => decodedOnce(run) ?? run);
    if (meant !== stored) return { stored, meant };
  }
  return undefined;
}

/** Encodes the characters as Windows-1252 and decodes them as UTF-8. `undefined` when that is not possible. */
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
 * Letters of Europe, Hebrew and Arabic, and typographic signs. Any other result is taken for chance: `É–` could also be a doubly
 * encoded `ɖ`.
 */
const plausible = /^[\u00a0-\u017f\u0370-\u06ff\u2010-\u2122]+$/;
