import { LRUCache } from "lru-cache";
import type { TenantId } from "../core/ids.ts";
import type { ResponseEntry } from "../core/manifest.ts";
import type { ObjectKey, ResponseName } from "../core/object-key.ts";
import type { BodyPacker } from "./body-packer.ts";
import { checkedBody } from "./body-stream.ts";
import { withCallDeadline } from "./deadline.ts";
import type { Mirror } from "./mirror.ts";
import type { StoreReader } from "./store-watch.ts";

/** A tenant's response, whatever the snapshot: the cache keeps one body for it. */
export type BodyId = string & { readonly __brand: "BodyId" };

export function bodyId(tenantId: TenantId, name: ResponseName): BodyId {
  // `?` is in no id, so a list and a program never share an id.
  const id = name.kind === "detail" ? `${tenantId}/${name.programId}` : `${tenantId}?${name.kind}`;
  return id as BodyId;
}

/** A response body that can be sent. Its bytes have the size and the digest that the manifest states. */
export interface BodyForm {
  readonly objectKey: ObjectKey;
  readonly bytes: Buffer;
  readonly isGzip: boolean;
}

/**
 * Response bodies in memory, bounded by bytes, one for an id. A body is returned only for a generation whose manifest names it, so no
 * response mixes snapshots. Requests that wait for the same reading or packing share it.
 */
export interface BodyCache {
  /** Bodies above this size are not kept. Their gzip forms are kept if they are not above it. */
  readonly maxBodyBytes: number;
  /** The requested form, if it is in memory and known to belong to the generation. */
  cached(id: BodyId, generation: number, gzip: boolean): BodyForm | undefined;
  /** The body that the generation's manifest describes; with `gzip` packed, unless that makes it no smaller. */
  load(id: BodyId, generation: number, entry: ResponseEntry, gzip: boolean): Promise<BodyForm>;
  /** The gzip form of a body above `maxBodyBytes`; `undefined` if the gzip form is above it, too. */
  packLarge(id: BodyId, generation: number, entry: ResponseEntry): Promise<BodyForm | undefined>;
  /** Bytes held. */
  size(): number;
}

export function createBodyCache(options: {
  readonly store: StoreReader;
  readonly packer: BodyPacker;
  readonly maxBytes: number;
  /** How long one read may take. */
  readonly callTimeoutMs: number;
  readonly onLookup: (isHit: boolean) => void;
  readonly mirror?: Pick<Mirror, "keepBody"> | undefined;
}): BodyCache {
  const { store, packer, maxBytes, callTimeoutMs, onLookup, mirror } = options;
  const maxBodyBytes = Math.floor(maxBytes / 16);
  const bodies = new LRUCache<BodyId, CachedBody>({ maxSize: maxBytes, sizeCalculation: heldBytes });
  const reading: WorkUnderWay<WholeBody> = new Map();
  const packing: WorkUnderWay<WholeBody> = new Map();
  const packingLarge: WorkUnderWay<CachedBody> = new Map();

  async function whole(id: BodyId, entry: ResponseEntry): Promise<WholeBody> {
    const known = bodies.get(id);
    const isHit = known?.sha256 === entry.sha256 && isWhole(known);
    onLookup(isHit);
    const body = isHit ? known : await shared(reading, id, entry, () => read(entry));
    if (bodies.peek(id) !== body) bodies.set(id, body);
    return body;
  }

  async function read(entry: ResponseEntry): Promise<WholeBody> {
    const { key: objectKey, sha256 } = entry;
    const bytes = await withCallDeadline(callTimeoutMs, `Reading ${objectKey}`, (signal) =>
      checkedBody(store, entry, signal),
    );
    mirror?.keepBody(entry, async () => bytes);
    return { sha256, identity: { objectKey, bytes, isGzip: false }, gzip: undefined, generation: -1 };
  }

  async function pack(id: BodyId, body: WholeBody): Promise<WholeBody> {
    const { objectKey, bytes } = body.identity;
    body.gzip = gzipForm(objectKey, await packer.packBytes(bytes));
    // Another body may have taken the place meanwhile.
    if (bodies.peek(id) !== body) return body;
    // The cache measures a body only when it is new.
    bodies.delete(id);
    bodies.set(id, body);
    return body;
  }

  async function packAlone(id: BodyId, entry: ResponseEntry): Promise<CachedBody> {
    const gzip = gzipForm(entry.key, await packer.packEntry(entry, maxBodyBytes));
    // The entry is kept even without bytes, so that nobody packs the body again in vain.
    const body: CachedBody = { sha256: entry.sha256, identity: undefined, gzip, generation: -1 };
    bodies.set(id, body);
    return body;
  }

  return {
    maxBodyBytes,

    cached(id, generation, gzip) {
      const body = bodies.get(id);
      if (body?.generation !== generation) return undefined;
      const form = gzip && body.gzip !== null ? body.gzip : body.identity;
      if (form !== undefined) onLookup(true);
      return form;
    },

    async load(id, generation, entry, gzip) {
      const read = await whole(id, entry);
      read.generation = generation;
      if (!gzip) return read.identity;
      const isPacked = read.gzip !== undefined;
      const body = isPacked ? read : await shared(packing, id, entry, () => pack(id, read));
      return body.gzip ?? body.identity;
    },

    async packLarge(id, generation, entry) {
      const known = bodies.get(id);
      const isKnown = known?.sha256 === entry.sha256;
      if (!isKnown || known.gzip !== null) onLookup(isKnown);
      const body = isKnown ? known : await shared(packingLarge, id, entry, () => packAlone(id, entry));
      body.generation = generation;
      return body.gzip ?? undefined;
    },

    size: () => bodies.calculatedSize,
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

/** Memory of an entry beside its bytes: keys, objects and the map's id. */
const overheadBytes = 512;

function heldBytes({ identity, gzip }: CachedBody): number {
  return (identity?.bytes.length ?? 0) + (gzip?.bytes.length ?? 0) + overheadBytes;
}

type WorkUnderWay<Body> = Map<string, Promise<Body>>;

/** Runs the work once for all who ask for it while it is under way. It goes on, and fills the cache, when they have left. */
function shared<Body>(
  underWay: WorkUnderWay<Body>,
  id: BodyId,
  { sha256 }: ResponseEntry,
  work: () => Promise<Body>,
): Promise<Body> {
  const key = `${id} ${sha256}`;
  const joined = underWay.get(key) ?? work().finally(() => underWay.delete(key));
  underWay.set(key, joined);
  return joined;
}
