import { confirmedAtOf } from "../../../core/confirmations.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { Problem } from "../../../schemas/generated/types.ts";
import { type ProgramChange, programChanges } from "../../operate/snapshots/program-changes.ts";
import type { AskedDatabase } from "../asked-database.ts";
import { forOperations, forSupport, nextStep } from "../next-step.ts";
import { lastTry, readConfirmed } from "../read-confirmed.ts";
import { readRemoved } from "../read-removed.ts";
import { runHistory } from "../run-history.ts";
import { type Judgement, judgement } from "../standing/judgement.ts";
import type { ProgramFacts } from "../standing/program-standing.ts";
import { tenantWay } from "../standing/tenant-way.ts";
import { usualInterval, usualIntervalOf } from "../usual-interval.ts";
import { type GarbledText, garbledTexts } from "./garbled-texts.ts";
import { type ProgramInSource, readProgramInSource } from "./program-in-source.ts";
import { type ProgramInStore, readProgramInStore } from "./program-in-store.ts";

/** Why a program is or isn't served. */
export interface Explanation extends ProgramFacts, Judgement {
  /** What the last run found wrong with this program. */
  readonly lastRunProblems: readonly Problem[];
  /** Texts that look encoded twice, as the source has them, or else as they are served. */
  readonly garbled: readonly GarbledText[];
}

/** Follows one program from the booking database to the live snapshot. */
export async function explainProgram(
  store: ObjectStore,
  database: AskedDatabase,
  program: { readonly tenantId: TenantId; readonly programId: string },
  now: Date,
  signal: AbortSignal,
): Promise<Explanation> {
  const { tenantId, programId } = program;
  const confirmed = readConfirmed(store, signal).then(({ confirmations }) => confirmations.get(tenantId));
  const confirmedAt = async (snapshotId: string) => confirmedAtOf(await confirmed, snapshotId);
  const [source, found, runs, confirmation, allIntervalMs, { removed }] = await Promise.all([
    readProgramInSource(store, database, tenantId, programId, signal),
    readProgramInStore(store, tenantId, programId, confirmedAt, signal),
    runHistory(store, new Set([tenantId]), now, signal),
    confirmed,
    usualInterval(store, now, signal),
    readRemoved(store, signal),
  ]);
  const lastRun = runs.lastRuns.get(tenantId) ?? null;
  const builds = {
    hold: found.kind === "unpublished" ? null : found.hold,
    lastRun,
    lastTry: lastTry(lastRun, confirmation),
    lastGoodAt: confirmation?.confirmedAt ?? null,
    usualIntervalMs: usualIntervalOf(tenantId, allIntervalMs, runs),
  };
  const changes = pendingChanges(source, found);
  const way = tenantWay(builds, now);
  const removedAt = removed.get(tenantId)?.removedAt ?? null;
  const facts: ProgramFacts = { ...program, removedAt, source, store: found, lastRun, way, changes };
  const lastRunProblems = (lastRun?.tenantRun?.problems ?? []).filter(
    (problem) => problem.programId === programId,
  );
  const garbled = garbledOf(source, found);
  const judged = judgement(facts);
  const isNoStore = found.kind === "unpublished" && !found.isStore;
  const isGarbled = judged.row === "served_same" && garbled.length > 0;
  const ownWords = isNoStore ? noStoreWords : isGarbled ? { next: correctGarbled } : {};
  return { ...facts, ...judged, ...ownWords, lastRunProblems, garbled };
}

/** W160, W162: a build in a place that is not the store would begin a new one, and help no partner. */
const noStoreWords = {
  summary:
    "There is no store in that place, so nobody can say what partners get. Gateways that had their store there serve what they still hold, of an older snapshot, and answer 500 to everything else; their log says since when.",
  next: nextStep(
    forOperations(
      "If partners were served before, check STORE_URL and whether the volume is mounted. A new installation begins with its first build.",
      "store check",
    ),
  ),
};

/** What partners see is what the booking system has: only there can it be mended. */
const correctGarbled = nextStep(
  forSupport("Have the garbled texts corrected in the booking system; partners see what it has."),
);

function garbledOf(source: ProgramInSource, store: ProgramInStore): readonly GarbledText[] {
  if (source.kind === "publishable") return garbledTexts(source.document);
  return store.kind === "live" && store.served !== null ? garbledTexts(store.served.document) : [];
}

function pendingChanges(source: ProgramInSource, store: ProgramInStore): readonly ProgramChange[] | null {
  if (source.kind !== "publishable" || store.kind !== "live" || store.served === null) return null;
  // Equal digests are the proof; the comparison only says where they come apart.
  return source.sha256 === store.served.sha256 ? [] : programChanges(store.served.document, source.document);
}
