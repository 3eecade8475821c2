import { Readable, Transform } from "node:stream";
import { Failure } from "../../core/ground/failure.ts";
import type { ObjectKey } from "../../core/ground/object-key.ts";
import type { GetResult, ObjectStore } from "../../core/store/object-store.ts";
import type { StoreReader } from "../../gateway/known/store-reader.ts";

type GetOptions = Parameters<StoreReader["get"]>[1];

/**
 * What a broken store does instead of, or with, the object that was asked for; `answer` gives it
 * unconditionally.
 */
export type Fault = (answer: () => Promise<GetResult>, options: GetOptions) => Promise<GetResult>;

/** A real store that a test can break, for chosen keys and for as long as it likes. */
export interface FaultyStore extends StoreReader {
  /** Keys asked for since the last `forget`, in order. */
  readonly asked: readonly string[];
  /** Streams given out that are neither read to their end nor destroyed. */
  openBodies(): number;
  forget(): void;
  breakKeys(pattern: RegExp, fault: Fault): void;
  mend(): void;
}

export function faultyStore(store: ObjectStore): FaultyStore {
  let faults: { readonly pattern: RegExp; readonly fault: Fault }[] = [];
  let asked: string[] = [];
  const open = new Set<Readable>();
  return {
    get asked() {
      return asked;
    },
    openBodies: () => open.size,
    forget() {
      asked = [];
    },
    breakKeys(pattern, fault) {
      faults.push({ pattern, fault });
    },
    mend() {
      faults = [];
    },
    async get(key: ObjectKey, options?: GetOptions) {
      asked.push(key);
      const broken = faults.find(({ pattern }) => pattern.test(key));
      const answer = (): Promise<GetResult> => store.get(key, { signal: options?.signal });
      const result = await (broken === undefined ? store.get(key, options) : broken.fault(answer, options));
      // Of a body that is there at once nothing is left open.
      if (result.kind === "object" && result.whole === undefined) {
        open.add(result.body);
        result.body.once("close", () => open.delete(result.body));
      }
      return result;
    },
  };
}

export const unavailable: Fault = async () => {
  throw new Failure("store_unavailable", "The store was broken by the test.");
};

export const denied: Fault = async () => {
  throw new Failure("store_denied", "The store was closed by the test.");
};

export const missing: Fault = async () => ({ kind: "missing" });

/** Never answers. Lets go when it is told to, as a driver does. */
export const stalled: Fault = (_answer, options) =>
  new Promise((_resolve, reject) => {
    options?.signal?.addEventListener("abort", () => reject(new Failure("interrupted", "Interrupted.")));
  });

/** Never answers, and does not let go either. */
export const stuck: Fault = () => new Promise(() => {});

/** Answers with other bytes, under a tag of their own. */
export function replacedBy(bytes: string | Buffer): Fault {
  return async () => {
    const body = Buffer.from(bytes);
    return {
      kind: "object",
      etag: `replaced-${body.length}`,
      size: body.length,
      modifiedAt: new Date(0),
      body: Readable.from([body], { objectMode: false }),
    };
  };
}

/** The answer, whose bytes can be had as a stream only. */
async function streamed(answer: () => Promise<GetResult>): Promise<GetResult> {
  const result = await answer();
  if (result.kind !== "object") return result;
  const { whole: _, ...object } = result;
  return object;
}

/** The real bytes, changed on their way; the announced size stays. */
function rewritten(change: (chunks: AsyncIterable<Buffer>) => AsyncIterable<Buffer>): Fault {
  return async (answer) => {
    const result = await streamed(answer);
    if (result.kind !== "object") return result;
    return {
      ...result,
      forEachChunk: undefined,
      body: Readable.from(change(result.body), { objectMode: false }),
    };
  };
}

/** The last byte is another. */
export const flipped = rewritten(async function* (chunks) {
  let held: Buffer | undefined;
  for await (const chunk of chunks) {
    if (held !== undefined) yield held;
    held = Buffer.from(chunk);
  }
  if (held === undefined) return;
  held[held.length - 1] = (held[held.length - 1] ?? 0) ^ 1;
  yield held;
});

/** The body ends early without an error, as a cut connection without a length does. */
export function endedAfter(bytes: number): Fault {
  return rewritten(async function* (chunks) {
    let left = bytes;
    for await (const chunk of chunks) {
      if (left <= 0) return;
      yield chunk.subarray(0, left);
      left -= chunk.length;
    }
  });
}

/** The body stops coming, and nothing more happens. */
export function stalledAfter(bytes: number): Fault {
  return async (answer) => {
    const result = await streamed(answer);
    if (result.kind !== "object") return result;
    let left = bytes;
    const body = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        this.push(chunk.subarray(0, left));
        left -= chunk.length;
        // Not calling back is what stalls.
        if (left > 0) done();
      },
    });
    result.body.pipe(body).once("close", () => result.body.destroy());
    return { ...result, forEachChunk: undefined, body };
  };
}

/** The body breaks with an error. */
export function brokenAfter(bytes: number): Fault {
  return rewritten(async function* (chunks) {
    let left = bytes;
    for await (const chunk of chunks) {
      yield chunk.subarray(0, left);
      left -= chunk.length;
      if (left <= 0) throw new Failure("store_unavailable", "The body was broken by the test.");
    }
  });
}
