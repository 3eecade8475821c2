import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { base62, base62OfUint32 } from "../ground/ids.ts";

declare const brand: unique symbol;
/** A token's plaintext. It is printed once, and never stored, logged or put into an error. */
export type TokenPlaintext = string & { readonly [brand]: "TokenPlaintext" };
/** SHA-256 of the whole plaintext, lower-case hex: the only form in which a token is kept (T3). */
export type TokenDigest = string & { readonly [brand]: "TokenDigest" };

/** Random bytes that `mintToken` needs: enough for 43 digits of base62 and 256 bits of entropy. */
export const tokenRandomBytes = 32;

/** A new token (T1) from 32 bytes of a cryptographic random source. */
export function mintToken(random: Uint8Array): TokenPlaintext {
  if (random.length !== tokenRandomBytes) throw new RangeError(`expected ${tokenRandomBytes} random bytes`);
  const body = prefix + base62(BigInt(`0x${Buffer.from(random).toString("hex")}`), randomDigits);
  return (body + checksum(body)) as TokenPlaintext;
}

/** T1: the token; `undefined` for a wrong form or checksum, which was never issued: no look-up is needed. */
export function parseToken(text: string): TokenPlaintext | undefined {
  if (!tokenPattern.test(text)) return undefined;
  const body = text.slice(0, -checksumDigits);
  return checksum(body) === text.slice(-checksumDigits) ? (text as TokenPlaintext) : undefined;
}

export function tokenDigest(token: TokenPlaintext): TokenDigest {
  return hash("sha256", token, "hex") as TokenDigest;
}

const prefix = "ppr_";
const randomDigits = 43;
const checksumDigits = 6;
/** The prefix, then the random digits and the checksum. */
const tokenPattern = /^ppr_[0-9A-Za-z]{49}$/;

/** CRC-32 (IEEE) of the ASCII bytes, as a number in base62. */
function checksum(body: string): string {
  return base62OfUint32(crc32(body), checksumDigits);
}
