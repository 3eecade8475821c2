import { hash } from "node:crypto";
import { isWithinDay, readLastRuns } from "../../../core/documents/last-runs.ts";
import { detailEntry, type Manifest, readEntry } from "../../../core/documents/manifest.ts";
import { unlessFailed } from "../../../core/ground/failure.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";
import type { SourcePool } from "../../database/connect.ts";
import { checkedProgram } from "../content/checked-program.ts";
import { elementText, type ListedPrograms, readBothListed } from "../content/lists.ts";
import type { DataProblem } from "../public-program/problem.ts";
import { readLiveManifest, readPointer } from "../snapshot/stored-snapshot.ts";
import { maxSpotPrograms } from "../source/limits.ts";
import { type ReadProgram, readPrograms, readSums } from "../source/read-programs.ts";
import type { BuildOptions, EndedBuild } from "../tenant/build-context.ts";
import { note } from "../tenant/build-report.ts";
import { isPublished, type ProgramOutcome } from "../tenant/program-outcome.ts";

/*
 * P224: that an incremental build leaves what a full one would is a promise that production has to prove,
 * too. So each run of all takes a few programs that it took over unchanged, reads their rows, renders them,
 * and holds the result against everything that is stored of them. Storage systems scrub in the same way.
 */

export interface SpotCheckContext {
  readonly options: BuildOptions;
  readonly pool: SourcePool;
  readonly store: ObjectStore;
  readonly signal: AbortSignal;
  readonly now: () => Date;
  /** Builds the tenant again, reading and writing everything. */
  readonly rebuild: (tenantId: TenantId) => Promise<TenantRun>;
}

/** Programs of one tenant that a build left as they were, with the sums of their rows. */
interface Candidate {
  readonly tenantId: TenantId;
  /** The live manifest as the build read it. `undefined` when the build published: then it is read back. */
  readonly manifest: Manifest | undefined;
  readonly sums: ReadonlyMap<string, string>;
}

/**
 * P224: chooses while the tenants are built, so that nothing is read a second time, and holds the candidate
 * of one tenant at a time. The run's id gives each tenant a number, and the least wins: many runs look at
 * all.
 */
export class SpotChoice {
  readonly #runId: string;
  #least = Number.POSITIVE_INFINITY;
  #candidate: Candidate | undefined;

  constructor(runId: string) {
    this.#runId = runId;
  }

  get candidate(): Candidate | undefined {
    return this.#candidate;
  }

  offer({ manifest, isPublishedNow, outcomes }: EndedBuild): void {
    const { tenantId, snapshotId, programs } = manifest;
    const number = numberOf(`${this.#runId} ${tenantId}`);
    if (number >= this.#least) return;
    const left = outcomes.filter(
      (each) =>
        isPublished(each) &&
        !(isPublishedNow && programs.get(each.programId ?? "")?.snapshotId === snapshotId),
    );
    const sums = new Map<string, string>();
    for (const { programId, sum } of this.#picked(left))
      if (programId !== null && sum !== undefined) sums.set(programId, sum);
    if (sums.size === 0) return;
    this.#least = number;
    this.#candidate = { tenantId, manifest: isPublishedNow ? undefined : manifest, sums };
  }

  /** Neighbouring programs from a place that the run's id chooses: many runs look at all of them. */
  #picked(all: readonly ProgramOutcome[]): readonly ProgramOutcome[] {
    const start = numberOf(`${this.#runId} programs`) % Math.max(1, all.length);
    return [...all.slice(start, start + maxSpotPrograms), ...all.slice(0, start)].slice(0, maxSpotPrograms);
  }
}

function numberOf(text: string): number {
  return Number.parseInt(hash("sha256", text, "hex").slice(0, 12), 16);
}

/** One reading; a run has one, and a second one when the first finds something. */
const maxReadingMs = 1000;
/** A larger list takes longer to read than the check is worth. */
const maxListBytes = 4 * 1024 * 1024;

/**
 * P224: proves the chosen programs of one tenant that this run built. Returns that tenant's run with the
 * differences as errors, after it was built again, which happens at most once a day. `undefined` when all is
 * as it should be, or when it cannot be said: the tenant moved on meanwhile, or the check took too long.
 * Throws only when the run was interrupted.
 */
export async function spotCheck(
  candidate: Candidate,
  run: TenantRun,
  context: SpotCheckContext,
): Promise<TenantRun | undefined> {
  const { store, signal, now, rebuild } = context;
  const read = async (): Promise<ReadonlyMap<string, DataProblem> | undefined> => {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(maxReadingMs)]);
    const reading = differences(candidate, run, { ...context, signal: deadline });
    // What cannot be read is found by others: a build, a request, `snapshot verify`.
    const found = await reading.catch(() => undefined);
    signal.throwIfAborted();
    return found;
  };
  const first = await read();
  if (first === undefined || first.size === 0) return undefined;
  const second = await read();
  const problems = [...first].flatMap(([id, problem]) => (second?.has(id) ? [problem] : []));
  if (problems.length === 0) return undefined;
  const last = await unlessFailed(readLastRuns(store, signal), "corrupt_document");
  const isMended = isWithinDay(last?.tenants.get(candidate.tenantId)?.differedAt, now());
  const found = { ...(isMended ? run : await rebuild(candidate.tenantId)) };
  for (const problem of problems) note(found, problem);
  return found;
}

/** The programs that differ, with their first differing part. `undefined` after a new one or a hold. */
async function differences(
  { tenantId, manifest: known, sums }: Candidate,
  run: TenantRun,
  context: SpotCheckContext,
): Promise<ReadonlyMap<string, DataProblem> | undefined> {
  const { options, pool, store, signal } = context;
  const current = (await readPointer(store, tenantId, signal))?.current;
  if (current?.snapshotId !== run.snapshotId || current.hold !== null) return undefined;
  const manifest = known ?? (await readLiveManifest(store, current, signal));
  const only = [...sums.keys()];
  const limits = { statementMs: maxReadingMs, lockMs: maxReadingMs };
  const read = await pool.withReading(async (client) => {
    const { sums: now } = await readSums(client, tenantId, only);
    const programs: ReadProgram[] = [];
    for await (const batch of readPrograms(client, tenantId, options.rules.limits, { only })) {
      // A program that has changed meanwhile is the next build's.
      for (const each of batch) {
        const id = each.source.programId ?? "";
        if (now.get(id) === sums.get(id)) programs.push(each);
      }
    }
    return programs;
  }, limits);
  const listed = await listedOf(store, manifest, signal);
  const found = new Map<string, DataProblem>();
  for (const program of read) {
    const programId = program.source.programId ?? "";
    const part = await differingPart(program, manifest, listed, context);
    if (part !== undefined)
      found.set(programId, { code: "snapshot_differs", programId, field: part, value: manifest.snapshotId });
  }
  return found;
}

/** The programs of the live lists; "damaged" when these do not name the programs of their manifest. */
async function listedOf(
  store: ObjectStore,
  manifest: Manifest,
  signal: AbortSignal,
): Promise<ListedPrograms | "damaged" | undefined> {
  if (manifest.list.size + manifest.legacy.size > maxListBytes) return undefined;
  return (await unlessFailed(readBothListed(store, manifest, signal), "corrupt_document")) ?? "damaged";
}

/** The first part of what is stored of the program that differs from what its rows give. */
async function differingPart(
  program: ReadProgram,
  manifest: Manifest,
  listed: ListedPrograms | "damaged" | undefined,
  { options, store, signal }: SpotCheckContext,
): Promise<string | undefined> {
  const checked = checkedProgram(program, options.rules);
  if (checked.kind !== "published") return checked.kind;
  const { programId, rendered } = checked;
  const entry = detailEntry(manifest, programId);
  if (entry?.sha256 !== rendered.detailSha256) return "manifest";
  if ((await readEntry(store, entry, signal, () => {})) !== undefined) return "detail";
  if (listed === undefined) return undefined;
  const element = listed === "damaged" ? undefined : listed.get(programId);
  if (element === undefined || elementText(element.listItem) !== rendered.listItem) return "list";
  return elementText(element.legacyItem) === rendered.legacyItem ? undefined : "legacy list";
}
