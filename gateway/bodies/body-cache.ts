import { LRUCache } from "lru-cache";
import type { ResponseEntry } from "../../core/documents/manifest.ts";
import type { TenantId } from "../../core/ground/ids.ts";
import type { ObjectKey, ResponseName } from "../../core/ground/object-key.ts";
import { valueWithin, withCallDeadline } from "../deadline.ts";
import type { Mirror } from "../known/mirror.ts";
import type { StoreReader } from "../known/store-reader.ts";
import { type BodyPacker, smallBytes } from "./body-packer.ts";
import { checkedBody } from "./body-stream.ts";
import type { Asker, FairShares } from "./fair-shares.ts";
import { HeldBytes } from "./held-bytes.ts";

/** A tenant's response, whatever the snapshot: the cache keeps one body for it. */
export type BodyId = string & { readonly __brand: "BodyId" };

export function bodyId(tenantId: TenantId, name: ResponseName): BodyId {
  // `?` is in no id, so a list and a program never share an id.
  const id = name.kind === "detail" ? `${tenantId}/${name.programId}` : `${tenantId}?${name.kind}`;
  return id as BodyId;
}

/** A response body that can be sent. Its bytes have the size and the digest that the manifest states. */
export interface BodyForm {
  readonly tenantId: TenantId;
  readonly id: BodyId;
  readonly objectKey: ObjectKey;
  readonly bytes: Buffer;
  readonly isGzip: boolean;
}

/** A body that is asked for: of a generation whose manifest has the entry. */
export interface WantedBody {
  readonly asker: Asker;
  readonly id: BodyId;
  readonly generation: number;
  readonly entry: ResponseEntry;
}

export interface BodyCacheOptions {
  readonly store: StoreReader;
  readonly reads: FairShares;
  readonly packer: BodyPacker;
  readonly maxBytes: number;
  /** How long one read may take, the wait for its share included. */
  readonly callTimeoutMs: number;
  /** How long a request waits for a gzip form before it gets the bytes as they are. */
  readonly packingWaitMs: number;
  readonly onLookup: (isHit: boolean) => void;
  readonly mirror?: Pick<Mirror, "keepBody"> | undefined;
}

/**
 * Response bodies in memory, bounded by bytes, one for an id. A body is returned only for a generation whose
 * manifest names it, so no response mixes snapshots. Requests share a reading or packing.
 */
export class BodyCache {
  /** Bodies above this size are not kept. Their gzip forms are kept if they are not above it. */
  readonly maxBodyBytes: number;
  readonly #options: BodyCacheOptions;
  readonly #bodies: LRUCache<BodyId, CachedBody>;
  readonly #held: HeldBytes<BodyForm>;
  readonly #reading: WorkUnderWay<WholeBody | undefined> = new Map();
  readonly #packing: WorkUnderWay<WholeBody> = new Map();
  readonly #packingLarge: WorkUnderWay<CachedBody> = new Map();

  constructor(options: BodyCacheOptions) {
    const { maxBytes } = options;
    this.#options = options;
    this.maxBodyBytes = Math.floor(maxBytes / 16);
    this.#held = new HeldBytes(Math.floor(maxBytes * heldShare), (form) => this.#isCached(form));
    this.#bodies = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: heldBytes,
      disposeAfter: ({ identity, gzip }) => {
        for (const form of [identity, gzip]) if (form) this.#held.dropped(form);
      },
    });
  }

  /** The requested form, if it is in memory and known to belong to the generation. */
  cached(id: BodyId, generation: number, gzip: boolean): BodyForm | undefined {
    const body = this.#bodies.get(id);
    if (body?.generation !== generation) return undefined;
    const form = gzip && body.gzip !== null ? body.gzip : body.identity;
    if (form !== undefined) this.#options.onLookup(true);
    return form;
  }

  /**
   * The body that the generation's manifest describes; with `gzip` packed, unless that makes it no smaller or
   * takes too long. `undefined` when too many bytes are held for others (W186): then it is streamed.
   */
  async load(wanted: WantedBody, gzip: boolean): Promise<BodyForm | undefined> {
    const read = await this.#whole(wanted);
    if (read === undefined) return undefined;
    read.generation = wanted.generation;
    if (!gzip) return read.identity;
    const packed = read.gzip === undefined ? await this.#packedInTime(wanted, read) : read;
    return packed?.gzip ?? read.identity;
  }

  /** The gzip form of a body above `maxBodyBytes`; `undefined` if that is, too, or takes too long. */
  async packLarge(wanted: WantedBody): Promise<BodyForm | undefined> {
    const { id, entry, generation } = wanted;
    const { onLookup, packingWaitMs } = this.#options;
    const known = this.#bodies.get(id);
    const isKnown = known?.sha256 === entry.sha256;
    if (!isKnown || known.gzip !== null) onLookup(isKnown);
    const packing = isKnown ? known : shared(this.#packingLarge, wanted, () => this.#packAlone(wanted));
    const body = packing instanceof Promise ? await valueWithin(packingWaitMs, packing) : packing;
    if (body !== undefined) body.generation = generation;
    return body?.gzip ?? undefined;
  }

  /** Called when an answer with the form is not taken at once. The result is called when it is over. */
  sending(form: BodyForm): () => void {
    return this.#held.sending(form);
  }

  /** Bytes in the cache. */
  size(): number {
    return this.#bodies.calculatedSize;
  }

  async #whole(wanted: WantedBody): Promise<WholeBody | undefined> {
    const { id, entry } = wanted;
    const known = this.#bodies.get(id);
    const isHit = known?.sha256 === entry.sha256 && isWhole(known);
    this.#options.onLookup(isHit);
    const read = () => this.#inBounds(wanted, entry.size, () => this.#read(wanted));
    const body = isHit ? known : await shared(this.#reading, wanted, read);
    if (body !== undefined && this.#bodies.peek(id) !== body) this.#bodies.set(id, body);
    return body;
  }

  /** Does work that holds so many bytes; `undefined` where they would be too many. */
  async #inBounds(
    { asker, entry }: WantedBody,
    bytes: number,
    work: () => Promise<WholeBody>,
  ): Promise<WholeBody | undefined> {
    // The number of reads bounds small bodies.
    if (entry.size <= smallBytes) return await work();
    return await this.#held.during(asker.tenantId, bytes, work);
  }

  async #read({ asker, id, entry }: WantedBody): Promise<WholeBody> {
    const { store, reads, callTimeoutMs, mirror } = this.#options;
    const { key: objectKey, sha256 } = entry;
    const what = `Reading ${objectKey}`;
    const bytes = await reads.during(asker, what, undefined, (waitedMs) =>
      withCallDeadline(callTimeoutMs - waitedMs, what, (signal) => checkedBody(store, entry, signal)),
    );
    mirror?.keepBody(entry, async () => bytes);
    const identity: BodyForm = { tenantId: asker.tenantId, id, objectKey, bytes, isGzip: false };
    return { sha256, identity, gzip: undefined, generation: -1 };
  }

  /** W187: whoever waits longer, also for others' turns, gets the bytes as they are. */
  async #packedInTime(wanted: WantedBody, body: WholeBody): Promise<WholeBody | undefined> {
    // The body, which the cache may drop meanwhile, and its form.
    const bytes = 2 * wanted.entry.size;
    const pack = async () => (await this.#inBounds(wanted, bytes, () => this.#pack(wanted, body))) ?? body;
    return await valueWithin(this.#options.packingWaitMs, shared(this.#packing, wanted, pack));
  }

  async #pack({ asker, id }: WantedBody, body: WholeBody): Promise<WholeBody> {
    const bytes = await this.#options.packer.packBytes(asker, body.identity.bytes);
    const packed: WholeBody = { ...body, gzip: gzipForm(body.identity, bytes) };
    // Another body may have taken the place meanwhile. The cache measures a body only when it is new.
    if (this.#bodies.peek(id) === body) this.#bodies.set(id, packed);
    return packed;
  }

  async #packAlone({ asker, id, entry }: WantedBody): Promise<CachedBody> {
    const bytes = await this.#options.packer.packEntry(asker, entry, this.maxBodyBytes);
    const gzip = gzipForm({ tenantId: asker.tenantId, id, objectKey: entry.key }, bytes);
    // The entry is kept even without bytes, so that nobody packs the body again in vain.
    const body: CachedBody = { sha256: entry.sha256, identity: undefined, gzip, generation: -1 };
    this.#bodies.set(id, body);
    return body;
  }

  #isCached(form: BodyForm): boolean {
    const body = this.#bodies.peek(form.id);
    return body?.identity === form || body?.gzip === form;
  }
}

/** The part of the cache's bound that may be held beside it, see `HeldBytes`. */
const heldShare = 1 / 4;

interface CachedBody {
  readonly sha256: string;
  /** `undefined` when the body is too large for the cache. */
  readonly identity: BodyForm | undefined;
  /** `undefined` until somebody asks for it; `null` when no gzip form is worth sending, see `BodyPacker`. */
  readonly gzip: BodyForm | null | undefined;
  /** The generation of the last live snapshot whose manifest names these bytes. */
  generation: number;
}

type WholeBody = CachedBody & { readonly identity: BodyForm };

function isWhole(body: CachedBody): body is WholeBody {
  return body.identity !== undefined;
}

function gzipForm(
  { tenantId, id, objectKey }: Pick<BodyForm, "tenantId" | "id" | "objectKey">,
  bytes: Buffer | null,
): BodyForm | null {
  return bytes === null ? null : { tenantId, id, objectKey, bytes, isGzip: true };
}

/** Memory of an entry beside its bytes: keys, objects and the map's id. */
const overheadBytes = 512;

function heldBytes({ identity, gzip }: CachedBody): number {
  return (identity?.bytes.length ?? 0) + (gzip?.bytes.length ?? 0) + overheadBytes;
}

type WorkUnderWay<Body> = Map<string, Promise<Body>>;

/** Runs the work once for all who ask meanwhile. It goes on, and fills the cache, when they leave. */
function shared<Body>(
  underWay: WorkUnderWay<Body>,
  { id, entry }: WantedBody,
  work: () => Promise<Body>,
): Promise<Body> {
  const key = `${id} ${entry.sha256}`;
  const joined = underWay.get(key) ?? work().finally(() => underWay.delete(key));
  underWay.set(key, joined);
  return joined;
}
