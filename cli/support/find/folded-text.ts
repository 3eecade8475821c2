/** A text as it is compared: whatever its case, accents and width. */
export function foldedText(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase();
}
