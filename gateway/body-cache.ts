import { LRUCache } from "lru-cache";
import type { TenantId } from "../core/ids.ts";
import type { ResponseEntry } from "../core/manifest.ts";
import type { ObjectKey, ResponseName } from "../core/object-key.ts";
import type { BodyPacker } from "./body-packer.ts";
import { withCallDeadline } from "./deadline.ts";
import type { KeptBodies } from "./last-good/kept-bodies.ts";
import type { HeldBody } from "./last-good/mended-copy.ts";
import { createSharedWork } from "./shared-work.ts";
import type { StoreReader } from "./store-reader.ts";
import { verifiedBody } from "./verified-body.ts";

/** A tenant's response, whatever the snapshot: the cache keeps one body for it. Equal keys mean the same slot. */
export interface BodySlot {
  readonly tenantId: TenantId;
  readonly name: ResponseName;
  readonly key: string;
}

export function bodySlot(tenantId: TenantId, name: ResponseName): BodySlot {
  // `?` is in no id, so a list and a program never share a key.
  const key = name.kind === "detail" ? `${tenantId}/${name.programId}` : `${tenantId}?${name.kind}`;
  return { tenantId, name, key };
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
  /** The slots of a tenant whose bodies were requested in this generation. */
  askedFor(tenantId: TenantId, generation: number): BodySlot[];
  /**
   * Reads the slot's next body, in the forms that the present body has, and keeps it until the next generation is live.
   * Rejects as `load` does.
   */
  renew(slot: BodySlot, entry: ResponseEntry): Promise<void>;
  /** Bytes held. */
  size(): number;
  /** The bodies in memory, the most recently used last. */
  bodies(): Iterable<HeldBody>;
}

export function createBodyCache(options: {
  readonly store: StoreReader;
  readonly packer: BodyPacker;
  readonly maxBytes: number;
  /** How long one read may take. */
  readonly callTimeoutMs: number;
  readonly onLookup: (isHit: boolean) => void;
  readonly kept?: KeptBodies | undefined;
}): BodyCache {
  const { store, packer, maxBytes, callTimeoutMs, onLookup, kept } = options;
  const maxBodyBytes = Math.floor(maxBytes / 16);
  /** The slots of each tenant that hold a body, by their keys. */
  const tenants = new Map<TenantId, Map<string, BodySlot>>();
  const bodies = new LRUCache<string, CachedBody>({
    maxSize: maxBytes,
    sizeCalculation: heldBytes,
    dispose({ slot }, key, reason) {
      if (reason === "set") return;
      const slots = tenants.get(slot.tenantId);
      slots?.delete(key);
      if (slots?.size === 0) tenants.delete(slot.tenantId);
    },
  });
  const loading = createSharedWork<WholeBody>();
  const packing = createSharedWork<WholeBody>();
  const packingLarge = createSharedWork<CachedBody>();

  async function load(slot: BodySlot, generation: number, entry: ResponseEntry): Promise<WholeBody> {
    const known = bodies.get(slot.key);
    const held = known?.sha256 === entry.sha256 ? known : known?.next;
    const isHit = held?.sha256 === entry.sha256 && isWhole(held);
    onLookup(isHit);
    const body = isHit ? held : await loading(workKey(slot, entry), undefined, () => read(slot, entry));
    if (bodies.peek(slot.key) !== body) file(body);
    body.generation = generation;
    return body;
  }

  function file(body: CachedBody): void {
    const { slot } = body;
    bodies.set(slot.key, body);
    const slots = tenants.get(slot.tenantId);
    if (slots === undefined) tenants.set(slot.tenantId, new Map([[slot.key, slot]]));
    else slots.set(slot.key, slot);
  }

  /** Makes the cache measure the body again. It would not if the same object were only set again. */
  function recount(body: CachedBody): void {
    bodies.delete(body.slot.key);
    file(body);
  }

  async function read(slot: BodySlot, entry: ResponseEntry): Promise<WholeBody> {
    const { key: objectKey, sha256 } = entry;
    const bytes = (await kept?.get(entry)) ?? (await fetched(entry));
    const identity = { objectKey, bytes, isGzip: false };
    return { slot, sha256, identity, gzip: undefined, generation: -1, next: undefined };
  }

  async function fetched(entry: ResponseEntry): Promise<Buffer> {
    const bytes = await withCallDeadline(callTimeoutMs, `Reading ${entry.key}`, (signal) =>
      verifiedBody(store, entry, signal),
    );
    kept?.keep(entry, bytes);
    return bytes;
  }

  async function pack(body: WholeBody): Promise<WholeBody> {
    const { objectKey, bytes } = body.identity;
    body.gzip = gzipForm(objectKey, await packer.packBytes(bytes));
    // Another body may have taken the slot meanwhile.
    if (bodies.peek(body.slot.key) === body) recount(body);
    return body;
  }

  async function packAlone(slot: BodySlot, entry: ResponseEntry, signal: AbortSignal): Promise<CachedBody> {
    const packed = await packer.packEntry(entry, maxBodyBytes, signal);
    const gzip = gzipForm(entry.key, packed);
    // The entry is kept even without bytes, so that nobody packs the body again in vain.
    const { sha256 } = entry;
    const body: CachedBody = { slot, sha256, identity: undefined, gzip, generation: -1, next: undefined };
    file(body);
    return body;
  }

  return {
    maxBodyBytes,

    held(slot, generation, gzip) {
      const body = bodies.get(slot.key);
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
        body = await packing(workKey(slot, entry), undefined, () => pack(loaded));
      }
      return body.gzip ?? body.identity;
    },

    async packLarge(slot, generation, entry, left) {
      const known = bodies.get(slot.key);
      const isKnown = known?.sha256 === entry.sha256;
      if (!isKnown || known.gzip !== null) onLookup(isKnown);
      const body = isKnown
        ? known
        : await packingLarge(workKey(slot, entry), left, (signal) => packAlone(slot, entry, signal));
      body.generation = generation;
      return body.gzip ?? undefined;
    },

    askedFor: (tenantId, generation) =>
      [...(tenants.get(tenantId)?.values() ?? [])].filter(
        (slot) => bodies.peek(slot.key)?.generation === generation,
      ),

    async renew(slot, entry) {
      const known = bodies.peek(slot.key);
      if (known === undefined || known.sha256 === entry.sha256) return;
      const fresh = await loading(workKey(slot, entry), undefined, () => read(slot, entry));
      if (known.gzip !== undefined && fresh.gzip === undefined) {
        await packing(workKey(slot, entry), undefined, () => pack(fresh));
      }
      const now = bodies.peek(slot.key);
      // The slot was evicted, or the new body was requested meanwhile.
      if (now === undefined || now.sha256 === entry.sha256) return;
      now.next = fresh;
      recount(now);
    },

    size: () => bodies.calculatedSize,

    *bodies() {
      for (const body of bodies.rvalues()) {
        if (body !== undefined) yield { sha256: body.sha256, bytes: body.identity?.bytes };
      }
    },
  };
}

interface CachedBody {
  readonly slot: BodySlot;
  readonly sha256: string;
  /** `undefined` when the body is too large for the cache. */
  readonly identity: BodyForm | undefined;
  /** `undefined` until somebody asks for it; `null` when no gzip form is worth sending, see `BodyPacker`. */
  gzip: BodyForm | null | undefined;
  /** The generation of the last live snapshot whose manifest names these bytes. */
  generation: number;
  /** The slot's body in the next generation, if it was read ahead of time. */
  next: WholeBody | undefined;
}

type WholeBody = CachedBody & { readonly identity: BodyForm };

function isWhole(body: CachedBody): body is WholeBody {
  return body.identity !== undefined;
}

function gzipForm(objectKey: ObjectKey, bytes: Buffer | null): BodyForm | null {
  return bytes === null ? null : { objectKey, bytes, isGzip: true };
}

function workKey({ key }: BodySlot, { sha256 }: ResponseEntry): string {
  return `${key} ${sha256}`;
}

/** Memory of an entry beside its bytes: keys, objects and the map's slot. */
const overheadBytes = 512;

function heldBytes({ identity, gzip, next }: CachedBody): number {
  const own = (identity?.bytes.length ?? 0) + (gzip?.bytes.length ?? 0) + overheadBytes;
  return next === undefined ? own : own + heldBytes(next);
}
