import { LRUCache } from "lru-cache";
import type { TenantId } from "../core/ids.ts";
import type { ResponseEntry } from "../core/manifest.ts";
import type { ObjectKey, ResponseName } from "../core/object-key.ts";
import type { BodyPacker } from "./body-packer.ts";
import { checkedBody, ownBytes } from "./body-stream.ts";
import { withCallDeadline } from "./deadline.ts";
import type { Mirror } from "./mirror.ts";
import { createSharedWork } from "./shared-work.ts";
import type { StoreReader } from "./store-reader.ts";
/** A tenant's response, whatever the snapshot: the cache keeps one body for it. */
export type BodySlot = string & { readonly __brand: "BodySlot" };

export function bodySlot(tenantId: TenantId, name: ResponseName): BodySlot {
  // `?` is in no id, so a list and a program never share a slot.
  const slot = name.kind === "detail" ? `${tenantId}/${name.programId}` : `${tenantId}?${name.kind}`;
  return slot as BodySlot;
}

/** A response body that can be sent. Its bytes have the size and the digest that the manifest states. */
export interface BodyForm {
  readonly objectKey: ObjectKey;
  readonly bytes: Buffer;
  readonly isGzip: boolean;
}

/**
 * Response bodies in memory, bounded by bytes. A slot holds the body of one snapshot, so a new snapshot's body replaces the
 * older one. The cache returns a body only for a generation whose manifest names it, so no response mixes snapshots.
 */
export interface BodyCache {
  /** Bodies above this size are not kept. Their gzip forms are kept if they are not above it. */
  readonly maxBodyBytes: number;
  /** The requested form, if it is in memory and known to belong to the generation. */
  held(slot: BodySlot, generation: number, gzip: boolean): BodyForm | undefined;
  /** The body that the generation's manifest describes. Requests that wait for the store share one read. */
  load(slot: BodySlot, generation: number, entry: ResponseEntry): Promise<BodyForm>;
  /** The body in its gzip form, which is made once; the plain form when gzip does not make it smaller. */
  loadPacked(slot: BodySlot, generation: number, entry: ResponseEntry): Promise<BodyForm>;
  /**
   * The gzip form of a body above `maxBodyBytes`, made once for all who ask; `undefined` if the gzip form is above it, too.
   * `left` fires when the client has left. The work ends when all clients that asked for it have left.
   */
  packLarge(
    slot: BodySlot,
    generation: number,
    entry: ResponseEntry,
    left: AbortSignal,
  ): Promise<BodyForm | undefined>;
  /** Bytes held. */
  size(): number;
  clear(): void;
}

export function createBodyCache(options: {
  readonly store: StoreReader;
  readonly packer: BodyPacker;
  readonly maxBytes: number;
  /** How long one read may take. */
  readonly callTimeoutMs: number;
  readonly onLookup: (isHit: boolean) => void;
  readonly mirror?: Pick<Mirror, "bytes" | "keepBody"> | undefined;
}): BodyCache {
  const { store, packer, maxBytes, callTimeoutMs, onLookup, mirror } = options;
  const maxBodyBytes = Math.floor(maxBytes / 16);
  const bodies = new LRUCache<string, CachedBody>({ maxSize: maxBytes, sizeCalculation: heldBytes });
  const loading = createSharedWork<WholeBody>();
  const packing = createSharedWork<WholeBody>();
  const packingLarge = createSharedWork<CachedBody>();

  async function load(slot: BodySlot, generation: number, entry: ResponseEntry): Promise<WholeBody> {
    const known = bodies.get(slot);
    const isHit = known?.sha256 === entry.sha256 && isWhole(known);
    onLookup(isHit);
    const body = isHit ? known : await loading(workKey(slot, entry), undefined, () => read(entry));
    if (bodies.peek(slot) !== body) bodies.set(slot, body);
    body.generation = generation;
    return body;
  }

  async function read(entry: ResponseEntry): Promise<WholeBody> {
    const { key: objectKey, sha256 } = entry;
    const copy = await mirror?.bytes(objectKey, sha256);
    const bytes = copy === undefined ? await fetched(entry) : ownBytes(copy);
    return { sha256, identity: { objectKey, bytes, isGzip: false }, gzip: undefined, generation: -1 };
  }

  async function fetched(entry: ResponseEntry): Promise<Buffer> {
    const bytes = await withCallDeadline(callTimeoutMs, `Reading ${entry.key}`, (signal) =>
      checkedBody(store, entry, signal),
    );
    mirror?.keepBody(entry, async () => bytes);
    return bytes;
  }

  async function pack(slot: BodySlot, body: WholeBody): Promise<WholeBody> {
    const { objectKey, bytes } = body.identity;
    body.gzip = gzipForm(objectKey, await packer.packBytes(bytes));
    // Another body may have taken the slot meanwhile.
    if (bodies.peek(slot) !== body) return body;
    // The cache measures a body only when it is new.
    bodies.delete(slot);
    bodies.set(slot, body);
    return body;
  }

  async function packAlone(slot: BodySlot, entry: ResponseEntry, signal: AbortSignal): Promise<CachedBody> {
    const packed = await packer.packEntry(entry, maxBodyBytes, signal);
    const gzip = gzipForm(entry.key, packed);
    // The entry is kept even without bytes, so that nobody packs the body again in vain.
    const body: CachedBody = { sha256: entry.sha256, identity: undefined, gzip, generation: -1 };
    bodies.set(slot, body);
    return body;
  }

  return {
    maxBodyBytes,

    held(slot, generation, gzip) {
      const body = bodies.get(slot);
      if (body?.generation !== generation) return undefined;
      const form = gzip && body.gzip !== null ? body.gzip : body.identity;
      if (form !== undefined) onLookup(true);
      return form;
    },

    load: async (slot, generation, entry) => (await load(slot, generation, entry)).identity,

    async loadPacked(slot, generation, entry) {
      let body = await load(slot, generation, entry);
      if (body.gzip === undefined) {
        const loaded = body;
        body = await packing(workKey(slot, entry), undefined, () => pack(slot, loaded));
      }
      return body.gzip ?? body.identity;
    },

    async packLarge(slot, generation, entry, left) {
      const known = bodies.get(slot);
      const isKnown = known?.sha256 === entry.sha256;
      if (!isKnown || known.gzip !== null) onLookup(isKnown);
      const body = isKnown
        ? known
        : await packingLarge(workKey(slot, entry), left, (signal) => packAlone(slot, entry, signal));
      body.generation = generation;
      return body.gzip ?? undefined;
    },

    size: () => bodies.calculatedSize,

    clear: () => bodies.clear(),
  };
}

interface CachedBody {
  readonly sha256: string;
  /** `undefined` when the body is too large for the cache. */
  readonly identity: BodyForm | undefined;
  /** `undefined` until somebody asks for it; `null` when no gzip form is worth sending, see `BodyPacker`. */
  gzip: BodyForm | null | undefined;
  /** The generation of the last live snapshot whose manifest names these bytes. */
  generation: number;
}

type WholeBody = CachedBody & { readonly identity: BodyForm };

function isWhole(body: CachedBody): body is WholeBody {
  return body.identity !== undefined;
}

function gzipForm(objectKey: ObjectKey, bytes: Buffer | null): BodyForm | null {
  return bytes === null ? null : { objectKey, bytes, isGzip: true };
}

function workKey(slot: BodySlot, { sha256 }: ResponseEntry): string {
  return `${slot} ${sha256}`;
}

/** Memory of an entry beside its bytes: keys, objects and the map's slot. */
const overheadBytes = 512;

function heldBytes({ identity, gzip }: CachedBody): number {
  return (identity?.bytes.length ?? 0) + (gzip?.bytes.length ?? 0) + overheadBytes;
}
