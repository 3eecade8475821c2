import { forEachBounded } from "../../../core/bounded-work.ts";
import { unlessFailed } from "../../../core/failure.ts";
import type { ProgramId } from "../../../core/ids.ts";
import { detailEntry } from "../../../core/manifest.ts";
import type { ProgramRecord } from "../../../core/program-table.ts";
import type { ProgramListItem } from "../../../schemas/generated/types.ts";
import { type CheckedProgram, checkedProgram } from "../content/checked-program.ts";
import { type ListedProgram, parsedItem } from "../content/lists.ts";
import { listedProgram, requireSmallLists } from "../content/snapshot-content.ts";
import { type ChangedProgram, type ShownFields, shownFields } from "../guards/change-guard.ts";
import { LiveTally, type PublicFacts, publicFacts } from "../guards/field-guard.ts";
import { minPrograms } from "../guards/guards.ts";
import { dataOf, responseBytes } from "../snapshot/stored-snapshot.ts";
import type { TenantRows } from "../source/tenant-rows.ts";
import type { Attempt } from "./build-context.ts";
import { liveListed, type SourceChanges } from "./find-changes.ts";
import { factsOf, isPublished, type ProgramLine, programLine } from "./memory.ts";
import type { ResponseWriter } from "./response-writer.ts";

/** A published program that was read: its elements in the lists, and its detail, which is stored. */
export interface TakenProgram extends ListedProgram {
  readonly record: ProgramRecord;
}

/** What became of the programs that a build read. */
export interface TakenPrograms {
  readonly lines: readonly ProgramLine[];
  /** The published ones by their ids, in the order in which they were read. */
  readonly programs: ReadonlyMap<string, TakenProgram>;
  /** P144: those that the live snapshot does not have, and their names. */
  readonly added: ReadonlyMap<ProgramId, string>;
  /** Those whose detail differs from the live one. */
  readonly changed: readonly ProgramId[];
  /** P140, P143: what the build changes in the programs that stay. Those that were not read are not in it. */
  readonly tally: LiveTally;
  /** P225: the changed programs as partners see them now and would see them, if they are enough to matter. */
  readonly shown: readonly ChangedProgram[];
}

type PublishedProgram = Extract<CheckedProgram, { kind: "published" }>;

/** Reads the programs that have changed, maps, renders and checks them, and stores each detail that the live snapshot lacks at once. */
export async function takePrograms(
  attempt: Attempt,
  changes: SourceChanges,
  rows: TenantRows,
  writer: ResponseWriter,
): Promise<TakenPrograms> {
  const { options, context, isHeld } = attempt;
  const { live, memory, sums, wanted } = changes;
  const { rules, rewrite } = options;
  const lines: ProgramLine[] = [];
  const programs = new Map<string, TakenProgram>();
  const added = new Map<ProgramId, string>();
  const changed = new Map<ProgramId, ShownFields>();
  const tally = new LiveTally();
  /** Changed programs of which only the live detail says what partners see of them now. */
  const uncompared: [ProgramId, PublicFacts][] = [];
  let listBytes = 0;

  function compare(
    programId: ProgramId,
    before: ProgramRecord | undefined,
    sha256: string,
    next: PublicFacts,
    data: ProgramListItem,
  ) {
    if (before === undefined) {
      added.set(programId, data.name);
    } else if (before.sha256 === sha256) {
      tally.addUnchanged(next.parts);
    } else {
      changed.set(programId, shownFields(data));
      const known = memory?.programs.get(programId);
      if (known !== undefined && isPublished(known)) tally.addChanged(programId, factsOf(known), next);
      else uncompared.push([programId, next]);
    }
  }

  async function take({
    programId,
    rendered,
    data,
    departureDate,
    problems,
  }: PublishedProgram): Promise<void> {
    const { listItem, legacyItem, detailSha256: sha256 } = rendered;
    const facts = publicFacts(data);
    lines.push(programLine(programId, sums.get(programId), facts, problems));
    const before = live?.programs.get(programId);
    compare(programId, before, sha256, facts, data);
    const isStored = before?.sha256 === sha256 && !rewrite;
    const bytes = isStored ? undefined : Buffer.from(rendered.detail);
    const record =
      bytes === undefined && before !== undefined
        ? before
        : { snapshotId: writer.snapshotId, sha256, size: bytes?.length ?? 0 };
    programs.set(programId, { ...listedProgram(programId, departureDate, rendered), record });
    listBytes += Buffer.byteLength(listItem) + Buffer.byteLength(legacyItem);
    requireSmallLists(programs.size, listBytes, rules.maxListBytes);
    if (bytes !== undefined)
      await writer.put({ kind: "detail", programId }, { bytes, size: bytes.length, sha256 });
  }

  for await (const batch of wanted === undefined ? [] : rows.programs(wanted)) {
    context.signal.throwIfAborted();
    for (const read of batch) {
      const { programId: id } = read.source;
      const program = checkedProgram(read, rules);
      if (program.kind === "published") await take(program);
      else {
        const problems = program.kind === "invalid" ? program.problems : [];
        lines.push(programLine(id, sums.get(id), program.kind, problems));
      }
    }
    await writer.endBatch();
    context.onProgress(batch.length);
  }
  // On hold nothing will be published, so nothing is compared.
  if (!isHeld) await compareWithDetails(attempt, live, uncompared, tally);
  const shown = isHeld ? [] : await compareWithList(attempt, changes, changed);
  return { lines, programs, added, changed: [...changed.keys()], tally, shown };
}

/** P225: the live list says what partners see now. A build that reads all programs reads it for this alone, and only if enough changed. */
async function compareWithList(
  attempt: Attempt,
  { live, listed }: SourceChanges,
  changed: ReadonlyMap<ProgramId, ShownFields>,
): Promise<readonly ChangedProgram[]> {
  if (live === undefined || changed.size < minPrograms) return [];
  // Partners cannot read a damaged list.
  const before = listed.size > 0 ? listed : await liveListed(attempt, live);
  return [...changed].flatMap(([programId, after]) => {
    const now = before?.get(programId);
    return now === undefined ? [] : [{ programId, before: shownFields(parsedItem(now)), after }];
  });
}

/** P140: without a memory, the live details of changed programs say what partners see of them now. */
async function compareWithDetails(
  { context }: Attempt,
  live: SourceChanges["live"],
  uncompared: readonly (readonly [ProgramId, PublicFacts])[],
  tally: LiveTally,
): Promise<void> {
  await forEachBounded(uncompared, maxParallelReads, async ([programId, next]) => {
    const entry = live && detailEntry(live, programId);
    if (entry === undefined) return;
    const reading = responseBytes(context.store, entry, context.signal);
    // Partners cannot read a damaged detail, so nothing of it can be lost.
    const bytes = await unlessFailed(reading, "corrupt_document");
    if (bytes === undefined) return;
    tally.addChanged(programId, publicFacts(dataOf(bytes, entry.key) as object), next);
  });
}

/** Live details read side by side. */
const maxParallelReads = 16;
