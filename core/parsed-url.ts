/**
 * The URL that a text is, or `undefined`. Not `URL.canParse`: in Node.js 20 and 22, once hot, it denies every URL with
 * a letter like `ü` (it hands V8's Latin-1 bytes to a parser of UTF-8), so what is published would depend on what ran
 * before.
 */
export function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
