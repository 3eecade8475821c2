/**
 * Parses a URL; `undefined` when the text is none. `URL.canParse` is not used: once V8 has optimised it,
 * Node.js 20 and 22 deny every URL with a letter like `ü` (they give V8's Latin-1 bytes to a parser of
 * UTF-8), so what is published would depend on what ran before.
 */
export function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
