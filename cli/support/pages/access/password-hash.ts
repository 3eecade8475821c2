import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";

/** A password's salted hash, in the PHC string format: `$scrypt$ln=15,r=8,p=1$SALT$HASH`. */
export interface PasswordHash {
  /** Binary logarithm of the cost. */
  readonly ln: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** 32 MiB and about a tenth of a second for each try. */
const ln = 15;
const r = 8;
const p = 1;
const hashBytes = 32;

export async function passwordHash(password: string): Promise<PasswordHash> {
  const salt = randomBytes(16);
  return { ln, salt, hash: await derived(password, ln, salt) };
}

export function passwordHashText({ ln: cost, salt, hash }: PasswordHash): string {
  return `$scrypt$ln=${cost},r=${r},p=${p}$${unpadded(salt)}$${unpadded(hash)}`;
}

/** `undefined` when the text is no hash, or when its cost is too high or too low. */
export function parsePasswordHash(text: string): PasswordHash | undefined {
  const [, cost = "", salt = "", hash = ""] = pattern.exec(text) ?? [];
  const parsed = { ln: Number(cost), salt: Buffer.from(salt, "base64"), hash: Buffer.from(hash, "base64") };
  const isSound = parsed.ln >= 14 && parsed.ln <= 17 && parsed.hash.length === hashBytes;
  return isSound && parsed.salt.length >= 8 && parsed.salt.length <= 64 ? parsed : undefined;
}

const pattern = /^\$scrypt\$ln=(\d{2}),r=8,p=1\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

export async function isPassword(password: string, expected: PasswordHash): Promise<boolean> {
  return timingSafeEqual(await derived(password, expected.ln, expected.salt), expected.hash);
}

/** RFC 7914 (scrypt). The password is normalized to NFC first, since keyboards send different Unicode forms of the same text. */
async function derived(password: string, cost: number, salt: Buffer): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** cost, r, p, maxmem: 256 * r * 2 ** cost };
  return await new Promise((resolve, reject) => {
    scrypt(password.normalize("NFC"), salt, hashBytes, options, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}
