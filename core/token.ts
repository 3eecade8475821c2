import { hash } from "node:crypto";
import { crc32 } from "node:zlib";

declare const brand: unique symbol;
/** A token's plaintext: printed once, never stored, logged or put into an error. */
export type TokenPlaintext = string & { readonly [brand]: "TokenPlaintext" };
/** SHA-256 of the whole plaintext, lower-case hex: the only form in which a token is kept. */
export type TokenDigest = string & { readonly [brand]: "TokenDigest" };

/** Random bytes that `mintToken` needs: enough for 43 digits of base62 and 256 bits of entropy. */
export const tokenRandomBytes = 32;

/** A new token from 32 bytes of a cryptographic random source. */
export function mintToken(random: Uint8Array): TokenPlaintext {
  if (random.length !== tokenRandomBytes) throw new RangeError(`expected ${tokenRandomBytes} random bytes`);
  const body = prefix + base62(BigInt(`0x${Buffer.from(random).toString("hex")}`), randomDigits);
  return (body + checksum(body)) as TokenPlaintext;
}

/**
 * The token, or `undefined` when its form or checksum is wrong: such a string was never issued, so it is
 * refused without any look-up.
 */
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
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** The prefix, then random and checksum digits. */
const tokenPattern = /^ppr_[0-9A-Za-z]{49}$/;

/** CRC-32 (IEEE) of the ASCII bytes, as a number in base62, left-padded with `0`. */
function checksum(body: string): string {
  // In plain numbers: a gateway does this for every request.
  let digits = "";
  let rest = crc32(body);
  for (let at = 0; at < checksumDigits; at += 1) {
    digits = alphabet.charAt(rest % alphabet.length) + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

function base62(value: bigint, width: number): string {
  let digits = "";
  for (let rest = value; rest > 0n; rest /= 62n) digits = alphabet[Number(rest % 62n)] + digits;
  return digits.padStart(width, "0");
}
