import type { ResponseEntry } from "../core/manifest.ts";
import type { BodyCache, BodyForm, BodySlot } from "./body-cache.ts";
import { valueWithin } from "./deadline.ts";
import type { Exchange } from "./exchange.ts";
import type { Responder } from "./respond.ts";

/** Answers with a body too large to be held. Rejects, with nothing sent yet, when the store does not deliver it. */
export type LargeAnswer = (exchange: Exchange, slot: BodySlot, body: LargeBody) => Promise<void>;

export interface LargeBody {
  readonly generation: number;
  readonly entry: ResponseEntry;
  /** The client prefers it in its gzip form. */
  readonly gzip: boolean;
}

/**
 * Such a body is packed once, not for each request: what its gzip form costs, its first reader waits for. When that takes
 * long, or the form is too large as well, the bytes go out as they are: gzip is a preference, and `identity` is always
 * available.
 */
export function createLargeAnswer(bodies: BodyCache, respond: Responder, maxWaitMs: number): LargeAnswer {
  async function packedForm(
    { res }: Exchange,
    slot: BodySlot,
    { generation, entry }: LargeBody,
  ): Promise<BodyForm | undefined> {
    const left = new AbortController();
    // Also with the end of a response that did not wait: who is still being answered keeps the packing going.
    res.once("close", () => left.abort());
    if (res.destroyed) return undefined;
    try {
      return await valueWithin(maxWaitMs, bodies.packLarge(slot, generation, entry, left.signal));
    } catch (error) {
      if (left.signal.aborted) return undefined;
      throw error;
    }
  }

  return async (exchange, slot, body) => {
    const packed = body.gzip ? await packedForm(exchange, slot, body) : undefined;
    // Which also notes that a client has left meanwhile.
    if (packed === undefined || exchange.res.destroyed) await respond.stream(exchange, body.entry);
    else respond.body(exchange, packed);
  };
}
