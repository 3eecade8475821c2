import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** The decision about a request, made before any page is read for it. */
export type Access =
  /** `user`: the person's name for the access log; `null` for a person with the key of the run. */
  | { readonly kind: "granted"; readonly user: string | null }
  /** The key came in the address. A redirect removes it from the address bar, and a cookie brings it from now on. */
  | { readonly kind: "welcome"; readonly location: string; readonly cookie: string }
  | Refusal;

export interface Refusal {
  readonly kind: "refused";
  readonly status: 403 | 421;
  readonly message: string;
}

export type Gate = (req: IncomingMessage, url: URL | undefined) => Access;

export function refused(status: Refusal["status"], message: string): Refusal {
  return { kind: "refused", status, message: `${message}\n` };
}

/** Compares two secrets in a time that does not depend on where they differ. */
export function isSameSecret(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}
