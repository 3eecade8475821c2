import { countingStore } from "../../../core/counting-store.ts";
import type { Current } from "../../../core/current.ts";
import type { FailureCode } from "../../../core/failure.ts";
import { Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import { snapshotsPrefix } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { ProgramCounts, TenantChanges, TenantRun } from "../../../schemas/generated/types.ts";
import { type Findings, ProblemLog, withProblem } from "../content/problem-log.ts";
import { noPrograms } from "../content/program-counts.ts";
import { type DataProblem, type ProblemCode, shownValue } from "../public-program/problem.ts";
import type { Live } from "./build-context.ts";

/** What an attempt finds out as it goes. One that fails lacks what it did not reach. */
export class AttemptFacts {
  /** The pointer that the attempt began with, and the one at its end. */
  readonly before: Current | undefined;
  after: Current | undefined;
  /** How many programs partners see. */
  livePrograms: number | undefined;
  counts: ProgramCounts = noPrograms;
  leftOut: readonly (string | null)[] = [];
  findings: Findings = new ProblemLog().findings;
  changes: TenantChanges | undefined;
  /** P23: when the source was read, if the live snapshot shows what the source said then. */
  confirmedAt: Date | undefined;
  /** Findings about the tenant itself, which no memory keeps. */
  readonly #ofTenant: DataProblem[] = [];

  constructor(before: Current | undefined) {
    this.before = before;
    this.after = before;
  }

  note(problem: DataProblem): void {
    this.#ofTenant.push(problem);
  }

  noteCode(code: ProblemCode, value: string | null): void {
    this.note({ code, programId: null, field: null, value: shownValue(value) });
  }

  noteLive({ current, manifest }: Live): void {
    this.after = current;
    this.livePrograms = manifest?.programs.count;
  }

  run(tenantId: TenantId, outcome: TenantRun["outcome"], failure: Failure | undefined): TenantRun {
    const { before, after, changes } = this;
    // P22: partners see an empty list.
    const left = outcome === "would-publish" ? this.counts.programs : this.livePrograms;
    if (left === 0) this.noteCode("snapshot_empty", null);
    return {
      ...notBuilt(tenantId, outcome),
      snapshotId: after?.snapshotId ?? null,
      generation: after?.generation ?? null,
      previousSnapshotId: before?.snapshotId ?? null,
      confirmedAt: this.confirmedAt?.toISOString() ?? null,
      counts: this.counts,
      livePrograms: after === undefined ? null : (this.livePrograms ?? null),
      leftOut: [...this.leftOut],
      ...(changes === undefined ? {} : { changes }),
      failure: failure === undefined ? null : { code: failure.code, message: failure.message },
      ...this.#ofTenant.reduce(withProblem, this.findings),
    };
  }
}

/** The result for a tenant whose turn did not come. */
export function notBuilt(tenantId: TenantId, outcome: TenantRun["outcome"]): TenantRun {
  return {
    tenantId,
    outcome,
    snapshotId: null,
    generation: null,
    previousSnapshotId: null,
    confirmedAt: null,
    counts: noPrograms,
    livePrograms: null,
    leftOut: [],
    leftOutOmitted: 0,
    durationMs: 0,
    requests: { get: 0, put: 0, list: 0, delete: 0 },
    bytesWritten: 0,
    failure: null,
    problems: [],
    problemsOmitted: 0,
    problemCounts: {},
  };
}

/** Guards and holds refuse a build; everything else fails it. */
export function outcomeOf({ code }: Failure): TenantRun["outcome"] {
  return refusals.has(code) ? "refused" : "failed";
}

const refusals: ReadonlySet<FailureCode> = new Set([
  "shrink_guard",
  "field_guard",
  "shared_guard",
  "vanished_guard",
  "store_unsupported",
]);

/** P9: what the report says of a tenant on hold. */
export function heldFailure({ since, reason }: NonNullable<Current["hold"]>): Failure {
  return new Failure("held", `On hold since ${since}: ${reason}. End it with \`snapshot release\`.`);
}

/** The store, with what a build asked of it and how many bytes of the tenant's snapshots it put there. */
export function countedStore(store: ObjectStore, tenantId: TenantId) {
  const counting = countingStore(store);
  const prefix = snapshotsPrefix(tenantId);
  let bytesWritten = 0;
  const put: ObjectStore["put"] = async (key, body, options) => {
    const result = await counting.put(key, body, options);
    if (result.kind === "stored" && key.startsWith(prefix)) bytesWritten += body.size;
    return result;
  };
  const counts = (): Pick<TenantRun, "requests" | "bytesWritten"> => ({
    requests: counting.requests(),
    bytesWritten,
  });
  return { store: { ...counting, put }, counts };
}
