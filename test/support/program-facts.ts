import type { LastRun } from "../../cli/support/facts/last-builds.ts";
import type { ProgramInSource, ProgramInStore } from "../../cli/support/facts/program.ts";
import type { LiveFacts, TenantFacts } from "../../cli/support/facts/tenants.ts";
import type { ProgramFacts } from "../../cli/support/judgement/standings.ts";
import { type JudgedTenant, judgedTenant } from "../../cli/support/judgement/tenant.ts";
import { parseSnapshotId, parseTenantId } from "../../core/ground/ids.ts";

/** Facts of tenants and programs as commands find them, for tests of what is made of them. */

export const oldSnapshot = {
  snapshotId: parseSnapshotId("20261120T120000Z-00000001"),
  generatedAt: "2026-11-20T12:00:00.000Z",
  isKept: true,
};
export const newSnapshot = {
  snapshotId: parseSnapshotId("20261121T120000Z-00000002"),
  generatedAt: "2026-11-21T12:00:00.000Z",
  isKept: true,
};

/** Who asks, two hours after the newest snapshot. */
export const reader = { now: new Date("2026-11-21T14:00:00.000Z"), zone: "UTC" };

type LiveFinding = Extract<ProgramInStore, { kind: "live" }>;

export function live(fields: Partial<LiveFinding> = {}): LiveFinding {
  const { snapshotId } = newSnapshot;
  const past = { kind: "never", snapshotsExamined: 2, isCut: false } as const;
  return { kind: "live", snapshotId, programs: 3, served: null, near: null, past, ...fields };
}

export function liveWithProgram(fields: Partial<LiveFinding> = {}): LiveFinding {
  const { snapshotId: builtBy } = newSnapshot;
  const served = { document: { name: "Kyoto" }, sha256: "a".repeat(64), key: "the key", builtBy };
  return live({ served, past: null, ...fields });
}

export const publishable: Extract<ProgramInSource, { kind: "publishable" }> = {
  kind: "publishable",
  document: { name: "Kyoto" },
  sha256: "a".repeat(64),
  dropped: [],
};

export function lastRun(fields: Partial<LastRun> = {}): LastRun {
  return {
    runId: "20261121T120000Z-00000003",
    finishedAt: "2026-11-21T12:00:01.000Z",
    outcome: "published",
    failure: null,
    onInvalid: "fail",
    leftOut: [],
    leftOutCount: 0,
    problemCounts: {},
    ...fields,
  };
}

export const liveFacts: LiveFacts = {
  ...newSnapshot,
  generation: 7,
  contentAt: newSnapshot.generatedAt,
  publishedAt: "2026-11-21T12:00:03.000Z",
  confirmedAt: "2026-11-21T13:00:00.000Z",
  programs: 20,
};

/** A tenant that is well, but for these facts. */
export function tenantFacts(fields: Partial<TenantFacts> = {}): TenantFacts {
  const run = fields.lastRun === undefined ? lastRun({ onInvalid: "report" }) : fields.lastRun;
  return {
    tenantId: "acme",
    live: liveFacts,
    fault: null,
    hold: null,
    removal: null,
    isSandbox: false,
    keys: [],
    answers: null,
    lastRun: run,
    lastTry: run && { outcome: run.outcome, triedAt: run.finishedAt },
    confirmation: undefined,
    notInSource: null,
    ...fields,
  };
}

export function tenant(fields: Partial<TenantFacts> = {}): JudgedTenant {
  return judgedTenant(tenantFacts(fields), reader);
}

export function programFacts(fields: Partial<ProgramFacts> = {}): ProgramFacts {
  return {
    tenantId: parseTenantId("acme"),
    programId: "KYOTO-1",
    tenant: tenant(),
    source: publishable,
    store: liveWithProgram(),
    otherSpelling: null,
    changes: [],
    ...fields,
  };
}
