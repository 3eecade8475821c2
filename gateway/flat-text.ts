/**
 * The same ASCII text in one piece. Text that was put together stays a tree of its parts until it is read as a whole,
 * and every text that it goes into would walk that tree again.
 */
export function flatText(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}
