import type { Manifest } from "../../../core/documents/manifest.ts";
import { unlessFailed } from "../../../core/ground/failure.ts";
import { type ListedPrograms, readListed } from "../content/lists.ts";
import { maxChangedShare } from "../source/limits.ts";
import type { StrayRows, WantedPrograms } from "../source/read-programs.ts";
import type { TenantRows } from "../source/tenant-rows.ts";
import type { BuildAttempt } from "./build-context.ts";
import type { Memory } from "./memory.ts";
import { isPublished, type ProgramOutcome } from "./program-outcome.ts";

/** What the store has of the tenant beside its pointer. */
export interface StoredState {
  /** `undefined` when nothing is live, or when it cannot be trusted. */
  readonly live?: Manifest | undefined;
  readonly memory?: Memory | undefined;
}

/** What of the source differs from the live snapshot, and what is to be read for it. */
export interface SourceChanges extends StoredState {
  /** The checksum of each program's rows, in the order of the ids' bytes. */
  readonly sums: ReadonlyMap<string | null, string>;
  readonly strays: readonly StrayRows[];
  /** The programs whose rows have not changed. They are taken over. */
  readonly kept: readonly ProgramOutcome[];
  /** The programs to read; `undefined`: none. */
  readonly wanted: WantedPrograms | undefined;
  /** The programs of the live list, of which the kept ones are taken over. Empty when nobody needs them. */
  readonly listed: ListedPrograms;
  /** The live lists may be damaged, or `--rewrite` asks for new ones, so none of them is taken over. */
  readonly areListsAnew: boolean;
}

/** The programs of the live list; `undefined` when it is damaged. */
export async function liveListed(
  { options, context }: BuildAttempt,
  live: Manifest,
): Promise<ListedPrograms | undefined> {
  const reading = readListed(context.store, live, options.rules.legacyCapacity, context.signal);
  return await unlessFailed(reading, "corrupt_document");
}

/** Compares the sums of the source's rows with the memory. */
export async function findChanges(
  attempt: BuildAttempt,
  rows: TenantRows,
  storing: Promise<StoredState>,
): Promise<SourceChanges> {
  const { options, context, isHeld } = attempt;
  // The database computes the sums while the memory is fetched and parsed.
  const summing = rows.sums();
  summing.catch(() => {});
  const { live, memory } = await storing;
  const listing = async (): Promise<ListedPrograms | undefined> =>
    live === undefined || isHeld ? new Map() : await liveListed(attempt, live);
  // A tenant that has changed needs the live list, which is read while the database works.
  const early = context.isNotified && memory !== undefined ? listing() : undefined;
  early?.catch(() => {});
  const { sums, strays } = await summing;
  const ids = [...sums.keys()].filter((id) => id !== null);
  const remembered = memory?.programs ?? new Map<string, ProgramOutcome>();
  const kept = [...remembered.values()].filter(({ programId, sum }) => sums.get(programId) === sum);
  const changed = ids.filter((id) => remembered.get(id)?.sum !== sums.get(id));
  // P223: the memory leaves some programs out, so the manifest says whether all that is live is kept.
  const isAllKept = changed.length === 0 && kept.filter(isPublished).length === live?.programs.count;
  const whole = { live, memory, sums, strays, kept: [], wanted: { count: sums.size }, listed: new Map() };
  // A program without an id cannot be asked for.
  const isFew = memory !== undefined && !sums.has(null) && changed.length <= sums.size * maxChangedShare;
  if (!isFew) return { ...whole, areListsAnew: options.rewrite || attempt.isWhole };
  const listed = isAllKept ? new Map() : await (early ?? listing());
  // Nothing can be taken over from a damaged list.
  if (listed === undefined) return { ...whole, areListsAnew: true };
  const wanted = changed.length === 0 ? undefined : { only: changed };
  return { live, memory, sums, strays, kept, wanted, listed, areListsAnew: options.rewrite };
}
