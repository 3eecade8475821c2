import { Failure } from "./failure.ts";

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Also a safe path segment, since it never starts with a dot. */
export type TenantId = Branded<"TenantId">;
/** The `id` of a program as partners see it. */
export type ProgramId = Branded<"ProgramId">;
/** Sorts by time, and the random part keeps concurrent builders apart. */
export type SnapshotId = Branded<"SnapshotId">;
/** A public name for support, unrelated to the token's plaintext. */
export type TokenId = Branded<"TokenId">;
/** Names a store, wherever it is, and every copy of it. */
export type StoreId = Branded<"StoreId">;

export const isTenantId = checkOf<TenantId>(/^[A-Za-z0-9][A-Za-z0-9._~-]{0,63}$/);
export const isProgramId = checkOf<ProgramId>(/^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/);
export const isSnapshotId = checkOf<SnapshotId>(/^\d{8}T\d{6}Z-[0-9a-f]{8}$/);
export const isTokenId = checkOf<TokenId>(/^tok_[0-9A-Za-z]{16}$/);
export const isStoreId = checkOf<StoreId>(/^store_[0-9A-Za-z]{16}$/);

function checkOf<Id extends string>(pattern: RegExp): (text: string) => text is Id {
  return (text): text is Id => pattern.test(text);
}

const characters = "of A-Z a-z 0-9 . _ ~ -, the first a letter or a digit";
/** These parsers throw `usage` for a text of another form. */
export const parseTenantId = parserOf(isTenantId, "tenant id", `1 to 64 ${characters}`);
export const parseProgramId = parserOf(isProgramId, "program id", `1 to 128 ${characters}`);
export const parseSnapshotId = parserOf(isSnapshotId, "snapshot id", "like 20260131T120000Z-0a1b2c3d");

function parserOf<Id extends string>(is: (text: string) => text is Id, what: string, expected: string) {
  return (text: string): Id => {
    if (is(text)) return text;
    const shown = JSON.stringify(text.slice(0, 140));
    throw new Failure("usage", `Not a ${what}: ${shown}; expected ${expected}.`);
  };
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
