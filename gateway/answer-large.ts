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
  /** Whether the client prefers the gzip form. */
  readonly gzip: boolean;
}

/**
 * A large body is packed once, and its first reader waits for the gzip form. If packing takes long, or the gzip form is too
 * large for the cache as well, the bytes go out unpacked: gzip is a preference, and `identity` is always available.
 */
export function createLargeAnswer(bodies: BodyCache, respond: Responder, maxWaitMs: number): LargeAnswer {
  async function packedForm(
    { res }: Exchange,
    slot: BodySlot,
    { generation, entry }: LargeBody,
  ): Promise<BodyForm | undefined> {
    const left = new AbortController();
    // `close` fires when the client leaves. It also fires after a complete response, when nothing waits any more. Packing goes on
    // as long as another client waits for it.
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
    // `stream` also logs that the client has left meanwhile.
    if (packed === undefined || exchange.res.destroyed) await respond.stream(exchange, body.entry);
    else respond.body(exchange, packed);
  };
}
