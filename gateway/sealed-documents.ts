import { mkdir, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { asFailure, Failure } from "../core/failure.ts";
import { isErrno } from "../core/file-store/file-error.ts";
import { bytesBody, readBody, sha256Hex } from "../core/object-body.ts";
import { type ObjectKey, tenantsPrefix, tokensKey } from "../core/object-key.ts";
import type { ETag, ObjectStore } from "../core/object-store.ts";
import { maxRegistryBytes } from "../core/token-registry.ts";
import type { Clocks } from "./clocks.ts";

/** A copy of the registry or of a pointer. */
export interface SealedDocument {
  readonly bytes: Buffer;
  /** When the store last confirmed it, by the monotonic clock; minus infinity when that is not known. */
  readonly confirmedAtMs: number;
}

/**
 * Copies of the registry and of pointers, which have no digest of their own. Beside each lies an empty file, the *seal*: its name
 * has the SHA-256 of the document (W77), and its time says when the store last confirmed it. A confirmation only touches the seal.
 * A new seal is made before its document is written, and the old one is removed after that, so a killed gateway never leaves a
 * document unsealed (W89). Copies without a seal of their own count as missing.
 */
export interface SealedDocuments {
  read(key: ObjectKey): Promise<SealedDocument | undefined>;
  /**
   * Writes a document that the store confirmed at that time, unless the copy has a higher revision or generation: gateways may
   * share the folder (W86). The document is durable when the promise resolves.
   */
  write(key: ObjectKey, bytes: Buffer, confirmedAtMs: number): Promise<void>;
  /** Notes a further confirmation. False when the copy is not there any more. */
  confirm(key: ObjectKey, sha256: string, confirmedAtMs: number): Promise<boolean>;
  /**
   * W78: when the clock is behind any seal, makes all copies too old for ever, and resolves to true. Their revision and generations
   * still count.
   */
  voidFutureTimes(): Promise<boolean>;
}

export function createSealedDocuments(
  folder: string,
  files: ObjectStore,
  { monotonicMs, unixMs }: Clocks,
): SealedDocuments {
  const sealOf = (key: ObjectKey, sha256: string): string =>
    join(folder, dirname(key), `${sealPrefix}${sha256}`);

  async function find(key: ObjectKey): Promise<FoundDocument | undefined> {
    try {
      const found = await files.get(key);
      if (found.kind !== "object") return undefined;
      const bytes = await readBody(found, maxRegistryBytes, key);
      const seal = await stat(sealOf(key, sha256Hex(bytes))).catch(() => undefined);
      return { bytes, etag: found.etag, sealedAtMs: seal && Math.floor(seal.mtimeMs) };
    } catch (error) {
      if (asFailure(error).code !== "corrupt_document") throw error;
      // W100: something else than a file of ours has the name, such as a link.
      await rm(join(folder, key), { force: true, recursive: true });
      return undefined;
    }
  }

  async function touch(path: string, confirmedAtMs: number): Promise<void> {
    const seconds = (unixMs() - (monotonicMs() - confirmedAtMs)) / 1000;
    await utimes(path, seconds, seconds);
  }

  async function removeOtherSeals(seal: string): Promise<void> {
    for (const path of await sealsIn(dirname(seal))) if (path !== seal) await rm(path, { force: true });
  }

  return {
    async read(key) {
      const found = await find(key);
      if (found?.sealedAtMs === undefined) return undefined;
      const ageMs = unixMs() - found.sealedAtMs;
      const confirmedAtMs = ageMs < 0 ? Number.NEGATIVE_INFINITY : monotonicMs() - ageMs;
      return { bytes: found.bytes, confirmedAtMs };
    },

    async write(key, bytes, confirmedAtMs) {
      const body = bytesBody(bytes);
      const seal = sealOf(key, body.sha256);
      for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
        const found = await find(key);
        const isSealed = found?.sealedAtMs !== undefined;
        if (isSealed && rankOf(found.bytes) > rankOf(bytes)) return;
        await mkdir(dirname(seal), { recursive: true, mode: 0o700 });
        await writeFile(seal, "", { mode: 0o600 });
        await touch(seal, confirmedAtMs);
        if (found?.bytes.equals(bytes)) return;
        const condition =
          found === undefined
            ? ({ kind: "absent" } as const)
            : ({ kind: "match", etag: found.etag } as const);
        const { kind } = await files.put(key, body, { condition });
        if (kind === "stored") {
          await removeOtherSeals(seal);
          return;
        }
      }
      throw new Failure("store_unavailable", `${key} was replaced by others ${maxAttempts} times.`);
    },

    async confirm(key, sha256, confirmedAtMs) {
      try {
        await touch(sealOf(key, sha256), confirmedAtMs);
        return true;
      } catch (error) {
        if (isErrno(error, "ENOENT")) return false;
        throw error;
      }
    },

    async voidFutureTimes() {
      const tenants = join(folder, tenantsPrefix);
      const folders = [join(folder, dirname(tokensKey))];
      for (const tenant of await namesIn(tenants)) folders.push(join(tenants, tenant));
      const seals = (await Promise.all(folders.map(sealsIn))).flat();
      const found = await Promise.all(seals.map((seal) => stat(seal)));
      if (!found.some(({ mtimeMs }) => Math.floor(mtimeMs) > unixMs())) return false;
      for (const seal of seals) await utimes(seal, 0, 0);
      return true;
    },
  };
}

interface FoundDocument {
  readonly bytes: Buffer;
  readonly etag: ETag;
  /** The seal's time, since 1970. `undefined` when the bytes have no seal. */
  readonly sealedAtMs: number | undefined;
}

/** The registry's revision or the pointer's generation. */
function rankOf(bytes: Buffer): number {
  const { revision, generation }: { revision?: number; generation?: number } = JSON.parse(bytes.toString());
  return revision ?? generation ?? 0;
}

async function sealsIn(folder: string): Promise<readonly string[]> {
  const names = await namesIn(folder);
  return names.filter((name) => name.startsWith(sealPrefix)).map((name) => join(folder, name));
}

/** The names in the folder; none when it is missing. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isErrno(error, "ENOENT") || isErrno(error, "ENOTDIR")) return [];
    throw error;
  }
}

const sealPrefix = ".confirmed-";
const maxAttempts = 5;
