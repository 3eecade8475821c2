import { setImmediate as turn } from "node:timers/promises";
import { createSlots } from "../core/bounded-work.ts";
import { responseEntry } from "../core/manifest.ts";
import type { BodyCache, BodySlot } from "./body-cache.ts";
import type { ReadSnapshot } from "./live-snapshot.ts";

/** Reads the bodies that differ between the two snapshots. Resolves when that is done; never rejects. */
export type BodyRenewal = (before: ReadSnapshot, now: ReadSnapshot) => Promise<void>;

/**
 * Keeps requested bodies in memory across a publication (P42). Bodies that were requested while the first snapshot was live,
 * and that differ in the second, are read before anybody asks for them, lists first. Bodies that nobody requested since
 * the last publication are not renewed, so at most one renewal per body is wasted.
 */
export function createBodyRenewal(bodies: BodyCache): BodyRenewal {
  // The bound counts renewals of all tenants together, so that requests that wait for a body get the store and the processor.
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
      // The failure is not reported here. The next request for the body reads the store again and reports it.
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
/** Looking at one body takes about a microsecond. Requests must not wait for all bodies of a large tenant. */
const perTurn = 256;
