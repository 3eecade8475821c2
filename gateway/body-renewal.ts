import { setImmediate as turn } from "node:timers/promises";
import { createSlots } from "../core/bounded-work.ts";
import { responseEntry } from "../core/manifest.ts";
import type { BodyCache, BodySlot } from "./body-cache.ts";
import type { ReadSnapshot } from "./live-snapshot.ts";

/** Fetches what the second snapshot answers otherwise than the first; settles when it is done, and never rejects. */
export type BodyRenewal = (before: ReadSnapshot, now: ReadSnapshot) => Promise<void>;

/**
 * Keeps hot what is hot (P42): of the bodies that were asked for while the first snapshot was live, those that the second
 * has otherwise are read before anybody asks for them, lists first. What nobody asked for since the publication before
 * is left alone, so a body that is read for nothing is read for nothing once.
 */
export function createBodyRenewal(bodies: BodyCache): BodyRenewal {
  // Of all tenants together: those who wait for a body now come first, at the store and for the processor.
  const slots = createSlots(maxParallel);

  async function renew(queue: Iterator<BodySlot>, before: ReadSnapshot, now: ReadSnapshot): Promise<void> {
    let looked = 0;
    for (let next = queue.next(); !next.done; next = queue.next()) {
      looked += 1;
      if (looked % perTurn === 0) await turn();
      const slot = next.value;
      const entry = responseEntry(now.manifest, slot.name);
      if (entry === undefined || entry.size > bodies.maxBodyBytes) continue;
      if (entry.sha256 === responseEntry(before.manifest, slot.name)?.sha256) continue;
      // A store that fails is met again, and reported, by whoever asks for the body.
      await slots(`Renewing ${entry.key}`, undefined, () => bodies.renew(slot, entry)).catch(() => {});
    }
  }

  return async (before, now) => {
    const used = bodies.askedFor(before.tenantId, before.generation);
    const lists = used.filter(({ name }) => name.kind !== "detail");
    const details = used.filter(({ name }) => name.kind === "detail");
    const queue = [...lists, ...details].values();
    await Promise.all(Array.from({ length: maxParallel }, () => renew(queue, before, now)));
  };
}

const maxParallel = 2;
/** A look at a body takes about a microsecond; requests are not to wait for those of a large tenant. */
const perTurn = 256;
