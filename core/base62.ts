/** The digits in their order, which is that of ASCII. */
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A number in base62, left-padded with `0`. */
export function base62(value: bigint, width: number): string {
  let digits = "";
  for (let rest = value; rest > 0n; rest /= 62n) digits = alphabet[Number(rest % 62n)] + digits;
  return digits.padStart(width, "0");
}

/** A number of 32 bits, without `bigint`, since a gateway does this for every request. */
export function base62OfUint32(value: number, width: number): string {
  let digits = "";
  let rest = value;
  for (let at = 0; at < width; at += 1) {
    digits = alphabet.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Random characters, each equally likely. Bytes from 248, the largest multiple of 62, on are skipped. */
export function randomBase62(length: number, randomBytes: (size: number) => Uint8Array): string {
  let characters = "";
  while (characters.length < length) {
    for (const byte of randomBytes(2 * length)) {
      if (byte < 248 && characters.length < length) characters += alphabet[byte % 62];
    }
  }
  return characters;
}
