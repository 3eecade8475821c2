import type { ProgramHistory } from "../../cli/operate/snapshots/program-history.ts";
import type { ProgramInSource } from "../../cli/support/explain/program-in-source.ts";
import type { ProgramInStore } from "../../cli/support/explain/program-in-store.ts";
import type { LastRun } from "../../cli/support/run-history.ts";
import type { ProgramFacts } from "../../cli/support/standing/program-standing.ts";
import type { TenantWay } from "../../cli/support/standing/tenant-way.ts";
import { parseSnapshotId, parseTenantId } from "../../core/ids.ts";

/** Facts of programs as `snapshot explain` finds them, for tests of what it makes of them. */

export const oldSnapshot = {
  snapshotId: parseSnapshotId("20261120T120000Z-00000001"),
  generatedAt: "2026-11-20T12:00:00.000Z",
};
export const newSnapshot = {
  snapshotId: parseSnapshotId("20261121T120000Z-00000002"),
  generatedAt: "2026-11-21T12:00:00.000Z",
};

export function history(fields: Partial<ProgramHistory> = {}): ProgramHistory {
  return {
    first: null,
    last: null,
    isServed: false,
    removedBy: null,
    rolledBackAt: null,
    unchangedSince: null,
    snapshotsExamined: 2,
    oldestExamined: oldSnapshot,
    isCut: false,
    ...fields,
  };
}

type LiveFinding = Extract<ProgramInStore, { kind: "live" }>;

export function live(fields: Partial<LiveFinding> = {}): LiveFinding {
  return {
    kind: "live",
    ...newSnapshot,
    publishedAt: "2026-11-21T12:00:03.000Z",
    confirmedAt: "2026-11-21T13:00:00.000Z",
    hold: null,
    programs: 3,
    served: null,
    near: null,
    history: history(),
    ...fields,
  };
}

export function liveWithProgram(fields: Partial<LiveFinding> = {}): LiveFinding {
  const served = { document: { name: "Kyoto" }, sha256: "a".repeat(64), key: "the key" };
  return live({
    served,
    history: history({ first: oldSnapshot, last: newSnapshot, isServed: true }),
    ...fields,
  });
}

export const publishable: ProgramInSource = {
  kind: "publishable",
  document: { name: "Kyoto" },
  sha256: "a".repeat(64),
  dropped: [],
};

export function lastRun(fields: Partial<LastRun> = {}): LastRun {
  return {
    runId: "20261121T120000Z-00000003",
    startedAt: "2026-11-21T12:00:00.000Z",
    finishedAt: "2026-11-21T12:00:01.000Z",
    outcome: "published",
    failure: null,
    onInvalid: "fail",
    tenantRun: null,
    ...fields,
  };
}

const clearWay: TenantWay = {
  builds: { kind: "running", at: "2026-11-21T12:00:01.000Z" },
  keeper: { kind: "none" },
};

export function programFacts(fields: Partial<ProgramFacts> = {}): ProgramFacts {
  return {
    tenantId: parseTenantId("acme"),
    programId: "KYOTO-1",
    removedAt: null,
    source: publishable,
    store: liveWithProgram(),
    lastRun: lastRun({ onInvalid: "report" }),
    way: clearWay,
    changes: [],
    ...fields,
  };
}
