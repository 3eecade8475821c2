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
 * Response bodies in memory, bounded by bytes. An id holds the body of one snapshot, so a new snapshot's body replaces the
 * older one. The cache returns a body only for a generation whose manifest names it, so no response mixes snapshots.
 */
export interface BodyCache {
  /** Bodies above this size are not kept. Their gzip forms are kept if they are not above it. */
  readonly maxBodyBytes: number;
  /** The requested form, if it is in memory and known to belong to the generation. */
  cached(id: BodyId, generation: number, gzip: boolean): BodyForm | undefined;
  /** The body that the generation's manifest describes. Requests that wait for the store share one read. */
  load(id: BodyId, generation: number, entry: ResponseEntry): Promise<BodyForm>;
  /** The body in its gzip form, which is made once; the plain form when gzip does not make it smaller. */
  loadPacked(id: BodyId, generation: number, entry: ResponseEntry): Promise<BodyForm>;
  /**
   * The gzip form of a body above `maxBodyBytes`, made once for all who ask; `undefined` if the gzip form is above it, too.
   * `left` fires when the client has left. The work ends when all clients that asked for it have left.
   */
  packLarge(
    id: BodyId,
    generation: number,
    entry: ResponseEntry,
    left: AbortSignal,
  ): Promise<BodyForm | undefined>;
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
  const bodies = new LRUCache<string, CachedBody>({ maxSize: maxBytes, sizeCalculation: heldBytes });
  const loading = createSharedWork<UnpackedBody>();
  const packing = createSharedWork<UnpackedBody>();
  const packingLarge = createSharedWork<CachedBody>();

  async function load(id: BodyId, generation: number, entry: ResponseEntry): Promise<UnpackedBody> {
    const known = bodies.get(id);
    const isHit = known?.sha256 === entry.sha256 && isUnpacked(known);
    onLookup(isHit);
    const body = isHit ? known : await loading(workKey(id, entry), undefined, () => read(entry));
    if (bodies.peek(id) !== body) bodies.set(id, body);
    body.generation = generation;
    return body;
  }

  async function read(entry: ResponseEntry): Promise<UnpackedBody> {
    const { key: objectKey, sha256 } = entry;
    const bytes = await withCallDeadline(callTimeoutMs, `Reading ${objectKey}`, (signal) =>
      checkedBody(store, entry, signal),
    );
    mirror?.keepBody(entry, async () => bytes);
    return { sha256, identity: { objectKey, bytes, isGzip: false }, gzip: undefined, generation: -1 };
  }

  async function pack(id: BodyId, body: UnpackedBody): Promise<UnpackedBody> {
    const { objectKey, bytes } = body.identity;
    body.gzip = gzipForm(objectKey, await packer.packBytes(bytes));
    // Another body may have taken the place meanwhile.
    if (bodies.peek(id) !== body) return body;
    // The cache measures a body only when it is new.
    bodies.delete(id);
    bodies.set(id, body);
    return body;
  }

  async function packAlone(id: BodyId, entry: ResponseEntry, signal: AbortSignal): Promise<CachedBody> {
    const packed = await packer.packEntry(entry, maxBodyBytes, signal);
    const gzip = gzipForm(entry.key, packed);
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

    load: async (id, generation, entry) => (await load(id, generation, entry)).identity,

    async loadPacked(id, generation, entry) {
      let body = await load(id, generation, entry);
      if (body.gzip === undefined) {
        const loaded = body;
        body = await packing(workKey(id, entry), undefined, () => pack(id, loaded));
      }
      return body.gzip ?? body.identity;
    },

    async packLarge(id, generation, entry, left) {
      const known = bodies.get(id);
      const isKnown = known?.sha256 === entry.sha256;
      if (!isKnown || known.gzip !== null) onLookup(isKnown);
      const body = isKnown
        ? known
        : await packingLarge(workKey(id, entry), left, (signal) => packAlone(id, entry, signal));
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

type UnpackedBody = CachedBody & { readonly identity: BodyForm };

function isUnpacked(body: CachedBody): body is UnpackedBody {
  return body.identity !== undefined;
}

function gzipForm(objectKey: ObjectKey, bytes: Buffer | null): BodyForm | null {
  return bytes === null ? null : { objectKey, bytes, isGzip: true };
}

function workKey(id: BodyId, { sha256 }: ResponseEntry): string {
  return `${id} ${sha256}`;
}

/** Memory of an entry beside its bytes: keys, objects and the map's id. */
const overheadBytes = 512;

function heldBytes({ identity, gzip }: CachedBody): number {
  return (identity?.bytes.length ?? 0) + (gzip?.bytes.length ?? 0) + overheadBytes;
}

/**
 * Runs work once for all callers with the same key while it is under way. A caller's signal says that the caller has left.
 * When all have left, the work's own signal ends it, and the next caller begins the work again.
 */
export type SharedWork<Result> = (
  key: string,
  left: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
) => Promise<Result>;

export function createSharedWork<Result>(): SharedWork<Result> {
  const underWay = new Map<string, Work<Result>>();

  function begin(key: string, work: (signal: AbortSignal) => Promise<Result>): Work<Result> {
    const controller = new AbortController();
    const forget = (): void => {
      if (underWay.get(key) === begun) underWay.delete(key);
    };
    const begun: Work<Result> = { controller, result: work(controller.signal), forget, waiting: 0 };
    begun.result.then(forget, forget);
    underWay.set(key, begun);
    return begun;
  }

  return async (key, left, work) => {
    left?.throwIfAborted();
    const joined = underWay.get(key) ?? begin(key, work);
    const leave = (): void => {
      joined.waiting -= 1;
      if (joined.waiting > 0) return;
      joined.forget();
      joined.controller.abort();
    };
    joined.waiting += 1;
    left?.addEventListener("abort", leave, { once: true });
    try {
      return await joined.result;
    } finally {
      left?.removeEventListener("abort", leave);
    }
  };
}

interface Work<Result> {
  readonly controller: AbortController;
  readonly result: Promise<Result>;
  /** Makes the next caller begin the work again. */
  readonly forget: () => void;
  /** Number of callers that have not left. */
  waiting: number;
}
