import { Failure } from "./failure.ts";

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** `[A-Za-z0-9][A-Za-z0-9._~-]{0,63}`: also a safe path segment, since it never starts with a dot. */
export type TenantId = Branded<"TenantId">;
/** `[A-Za-z0-9][A-Za-z0-9._~-]{0,127}`, the `id` of a program as partners see it. */
export type ProgramId = Branded<"ProgramId">;
/** `YYYYMMDDTHHMMSSZ-<8 hex>`: sorts by time, and the random part keeps concurrent builders apart. */
export type SnapshotId = Branded<"SnapshotId">;
/** `tok_` + 16 characters of base62: a public name for support, unrelated to the token's plaintext. */
export type TokenId = Branded<"TokenId">;
/** `store_` + 16 characters of base62: names a store, wherever it is, and every copy of it. */
export type StoreId = Branded<"StoreId">;

const tenantIdPattern = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,63}$/;
const programIdPattern = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/;
const snapshotIdPattern = /^\d{8}T\d{6}Z-[0-9a-f]{8}$/;
const tokenIdPattern = /^tok_[0-9A-Za-z]{16}$/;
const storeIdPattern = /^store_[0-9A-Za-z]{16}$/;

export function isTenantId(text: string): text is TenantId {
  return tenantIdPattern.test(text);
}

export function isProgramId(text: string): text is ProgramId {
  return programIdPattern.test(text);
}

export function isSnapshotId(text: string): text is SnapshotId {
  return snapshotIdPattern.test(text);
}

export function isTokenId(text: string): text is TokenId {
  return tokenIdPattern.test(text);
}

export function isStoreId(text: string): text is StoreId {
  return storeIdPattern.test(text);
}

/** This parser and those below throw `usage` for a text of another form. */
export function parseTenantId(text: string): TenantId {
  if (isTenantId(text)) return text;
  throw malformed("tenant id", text, "1 to 64 of A-Z a-z 0-9 . _ ~ -, the first a letter or a digit");
}

export function parseProgramId(text: string): ProgramId {
  if (isProgramId(text)) return text;
  throw malformed("program id", text, "1 to 128 of A-Z a-z 0-9 . _ ~ -, the first a letter or a digit");
}

export function parseSnapshotId(text: string): SnapshotId {
  if (isSnapshotId(text)) return text;
  throw malformed("snapshot id", text, "like 20260131T120000Z-0a1b2c3d");
}

export function parseTokenId(text: string): TokenId {
  if (isTokenId(text)) return text;
  // A plaintext token pasted here by mistake must not come back in an error message or a log.
  throw new Failure("usage", "Not a token id: expected tok_ and 16 letters or digits (see `token list`).");
}

/** The id of a snapshot or a run begun at `at`. `random`: at least 4 random bytes. */
export function snapshotId(at: Date, random: Uint8Array): SnapshotId {
  const stamp = at.toISOString().replace(/[-:]|\.\d{3}/g, "");
  return parseSnapshotId(`${stamp}-${Buffer.from(random.subarray(0, 4)).toString("hex")}`);
}

function malformed(what: string, text: string, expected: string): Failure {
  return new Failure("usage", `Not a ${what}: ${JSON.stringify(text.slice(0, 140))}; expected ${expected}.`);
}

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
