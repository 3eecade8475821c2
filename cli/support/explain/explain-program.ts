import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { Problem } from "../../../schemas/generated/types.ts";
import type { CliSettings } from "../../shell/shell.ts";
import { type JsonChange, jsonChanges } from "../../snapshot/json-changes.ts";
import { runHistory } from "../run-history.ts";
import { type Conclusion, conclusion, type ProgramFacts } from "./conclusion.ts";
import { type NextStep, nextStep } from "./next-step.ts";
import { type ProgramInSource, readProgramInSource } from "./program-in-source.ts";
import { type ProgramInStore, readProgramInStore } from "./program-in-store.ts";

/** Why a program is or isn't served. */
export interface Explanation extends ProgramFacts, Conclusion {
  /** What the last run found wrong with this program. */
  readonly lastRunProblems: readonly Problem[];
  readonly next: NextStep;
}

/** Follows one program from the booking database to the live snapshot. */
export async function explainProgram(
  store: ObjectStore,
  settings: CliSettings,
  program: { readonly tenantId: TenantId; readonly programId: string },
  now: Date,
  signal: AbortSignal,
): Promise<Explanation> {
  const { tenantId, programId } = program;
  const [source, found, runs] = await Promise.all([
    readProgramInSource(settings, tenantId, programId, signal),
    readProgramInStore(store, tenantId, programId, signal),
    runHistory(store, new Set([tenantId]), now, signal),
  ]);
  const lastRun = runs.lastRuns.get(tenantId) ?? null;
  const changes = pendingChanges(source, found);
  const facts: ProgramFacts = { tenantId, programId, source, store: found, lastRun, changes };
  const reached = conclusion(facts);
  const lastRunProblems = (lastRun?.tenantRun?.problems ?? []).filter(
    (problem) => problem.programId === programId,
  );
  return { ...facts, ...reached, lastRunProblems, next: nextStep(facts, reached) };
}

function pendingChanges(source: ProgramInSource, store: ProgramInStore): readonly JsonChange[] | null {
  if (source.kind !== "publishable" || store.kind !== "live" || store.served === null) return null;
  // Equal digests are the proof; the comparison only says where they come apart.
  return source.sha256 === store.served.sha256 ? [] : jsonChanges(store.served.document, source.document);
}
