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

/** What the cache keeps bodies for: a tenant's response, whatever the snapshot. Slots of the same key are the same. */
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

/** One response as it can be sent; its bytes were held to their manifest's size and digest before they got in here. */
export interface BodyForm {
  readonly objectKey: ObjectKey;
  readonly bytes: Buffer;
  readonly isGzip: boolean;
}

/**
 * Responses in memory, bounded by bytes. A slot stands for a tenant's resource: what an older snapshot answered
 * makes room for the new answer by itself. Bytes are given out only for a generation whose manifest names them, so
 * no response ever mixes snapshots.
 */
export interface BodyCache {
  /** Bodies above this size are not for the cache; their gzip forms are, up to the same size. */
  readonly maxBodyBytes: number;
  /** The wanted form, if it is in memory and known to belong to the generation. */
  held(slot: BodySlot, generation: number, gzip: boolean): BodyForm | undefined;
  /** The body that the generation's manifest describes, from memory or, once for all who wait, from the store. */
  load(slot: BodySlot, generation: number, entry: ResponseEntry): Promise<BodyForm>;
  /** The same in its gzip form, which is made once, if it is smaller. */
  loadPacked(slot: BodySlot, generation: number, entry: ResponseEntry): Promise<BodyForm>;
  /**
   * The gzip form alone of a body above `maxBodyBytes`, made once for all who ask; `undefined` if it is above, too. The
   * signal says that the client who asked has left; with the last one the work ends.
   */
  packLarge(
    slot: BodySlot,
    generation: number,
    entry: ResponseEntry,
    left: AbortSignal,
  ): Promise<BodyForm | undefined>;
  /** The slots of a tenant whose bodies were asked for in this generation. */
  askedFor(tenantId: TenantId, generation: number): BodySlot[];
  /**
   * Reads what a slot will have to answer, in the forms that it has now, and keeps it behind what it answers still. Rejects
   * as a load does.
   */
  renew(slot: BodySlot, entry: ResponseEntry): Promise<void>;
  /** Bytes held. */
  size(): number;
  /** What is held, the most recently used last. */
  bodies(): Iterable<HeldBody>;
}

export function createBodyCache(options: {
  readonly store: StoreReader;
  readonly packer: BodyPacker;
  readonly maxBytes: number;
  /** Until a reading is given up. */
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

  /** So that the bytes that the body has got meanwhile count; what is set to what it was is not sized again. */
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
    // Unless another body took the slot meanwhile.
    if (bodies.peek(body.slot.key) === body) recount(body);
    return body;
  }

  async function packAlone(slot: BodySlot, entry: ResponseEntry, signal: AbortSignal): Promise<CachedBody> {
    const packed = await packer.packEntry(entry, maxBodyBytes, signal);
    const gzip = gzipForm(entry.key, packed);
    // Filed also without bytes: nobody need try again.
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
      // Gone, or asked for meanwhile.
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
  /** `undefined`: too large. */
  readonly identity: BodyForm | undefined;
  /** `undefined`: nobody asked for it yet; `null`: not to be had, see `BodyPacker`. */
  gzip: BodyForm | null | undefined;
  /** That of the last live snapshot whose manifest was seen to name these bytes. */
  generation: number;
  /** What the slot will answer in the generation to come, as far as it was read ahead of time. */
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

/** What an entry costs beside its bytes: keys, objects, the map's slot. */
const overheadBytes = 512;

function heldBytes({ identity, gzip, next }: CachedBody): number {
  const own = (identity?.bytes.length ?? 0) + (gzip?.bytes.length ?? 0) + overheadBytes;
  return next === undefined ? own : own + heldBytes(next);
}
