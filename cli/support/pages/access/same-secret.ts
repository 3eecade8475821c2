import { createHash, timingSafeEqual } from "node:crypto";

/** In a time that says nothing about where the two differ. */
export function isSameSecret(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}
