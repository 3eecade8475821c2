import { ProgramTable } from "../../../core/documents/program-table.ts";
import { type CheckedProgram, checkedProgram } from "../content/checked-program.ts";
import { KeptElements, type ListedProgram, type ListedPrograms } from "../content/lists.ts";
import { listedProgram, requireSmallLists } from "../content/snapshot-content.ts";
import { publicFacts } from "../guards/field-guard.ts";
import type { TenantRows } from "../source/tenant-rows.ts";
import type { BuildAttempt } from "./build-context.ts";
import type { SourceChanges } from "./find-changes.ts";
import { LiveComparison } from "./live-comparison.ts";
import { type ProgramOutcome, programOutcome } from "./program-outcome.ts";
import type { ResponseWriter } from "./response-writer.ts";

/** What became of the programs that a build read. */
export interface TakenPrograms {
  readonly outcomes: readonly ProgramOutcome[];
  /** The elements of the published ones in the lists, by their ids. */
  readonly listed: ListedPrograms;
  /** Their details, which are stored. */
  readonly records: ProgramTable;
  readonly comparison: LiveComparison;
}

type PublishedProgram = Extract<CheckedProgram, { kind: "published" }>;

/** Reads, maps, renders and checks the changed programs, and stores details that are not live at once. */
export async function takePrograms(
  attempt: BuildAttempt,
  changes: SourceChanges,
  rows: TenantRows,
  writer: ResponseWriter,
): Promise<TakenPrograms> {
  const { options, context, isHeld } = attempt;
  const { live, sums, wanted } = changes;
  const { rules, rewrite } = options;
  const outcomes: ProgramOutcome[] = [];
  const listed = new Map<string, ListedProgram>();
  const records = new ProgramTable(wanted?.count ?? wanted?.only?.length);
  const comparison = new LiveComparison(changes);
  const elements = new KeptElements();

  async function take(program: PublishedProgram): Promise<void> {
    const { programId, rendered, data, departureDate, problems } = program;
    const sha256 = rendered.detailSha256;
    const facts = publicFacts(data);
    outcomes.push(programOutcome(programId, sums.get(programId), facts, problems));
    comparison.add(programId, sha256, facts, data);
    const before = live?.programs.get(programId);
    const isStored = before?.sha256 === sha256 && !rewrite;
    const bytes = isStored ? undefined : Buffer.from(rendered.detail);
    const writtenNow = { snapshotId: writer.snapshotId, sha256, size: bytes?.length ?? 0 };
    records.add(programId, bytes === undefined && before !== undefined ? before : writtenNow);
    listed.set(programId, elements.kept(listedProgram(programId, departureDate, rendered)));
    requireSmallLists(listed.size, elements.size, rules.maxListBytes);
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
        outcomes.push(programOutcome(id, sums.get(id), program.kind, problems));
      }
    }
    await writer.endBatch();
    context.onProgress(batch.length);
  }
  // On hold nothing will be published, so nothing is compared.
  if (!isHeld) await comparison.finish(attempt);
  return { outcomes, listed, records, comparison };
}
