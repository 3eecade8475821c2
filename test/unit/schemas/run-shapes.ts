import {
  anyText,
  atLeastOne,
  count,
  generation,
  list,
  map,
  object,
  oneOf,
  orNull,
  type Shape,
  yesOrNo,
} from "./shapes.ts";
import {
  codeWord,
  format,
  instant,
  outcomeWord,
  programId,
  sha256,
  shortened,
  snapshotId,
  tenantId,
  text,
} from "./text-shapes.ts";

// The shapes of what a run writes: its report, and the memory of each tenant.
export const problem = object({
  severity: oneOf("error", "warning"),
  code: codeWord,
  programId: orNull(anyText),
  field: orNull(anyText),
  value: orNull(shortened),
  message: text,
});
export const problemCounts = (code: string) =>
  map({ [code]: atLeastOne }, [{ "": 1 }, { Bad: 1 }, { "a b": 1 }, { "a-b": 1 }, { _a: 1 }]);

const storeRequests = object({ get: count, put: count, list: count, delete: count });
const programCounts = object({
  programs: count,
  added: count,
  changed: count,
  removed: count,
  unchanged: count,
  notPublishable: count,
  invalid: count,
  withdrawn: count,
});
const tenantOutcomes = ["published", "unchanged", "held", "refused", "failed", "skipped", "elsewhere"];
const failure = orNull(object({ code: codeWord, message: text }));

export const runReportShape = object({
  format: format("run-report"),
  runId: snapshotId,
  startedAt: instant,
  finishedAt: instant,
  durationMs: count,
  outcome: oneOf("published", "unchanged", "partial", "failed", "refused", "interrupted", "dry-run"),
  exitStatus: oneOf(0, 1, 2, 3, 4, 130),
  version: text,
  options: object({
    tenants: orNull(list(tenantId)),
    shard: orNull(anyText),
    concurrency: atLeastOne,
    onInvalid: oneOf("report", "skip", "fail"),
    allowShrink: yesOrNo,
    allowEmptied: yesOrNo,
    allowShared: yesOrNo,
    allowVanished: yesOrNo,
    dryRun: yesOrNo,
    legacyCapacity: oneOf("object", "total"),
    terminalStatuses: list(text),
  }),
  storeRequests,
  totals: object({
    tenants: object(Object.fromEntries([...tenantOutcomes, "would-publish"].map((word) => [word, count]))),
    programs: programCounts,
    bytesWritten: count,
    errors: count,
    warnings: count,
  }),
  failure,
  tenants: list(
    object({
      tenantId,
      outcome: oneOf(...tenantOutcomes, "would-publish"),
      snapshotId: orNull(snapshotId),
      generation: orNull(generation),
      previousSnapshotId: orNull(snapshotId),
      confirmedAt: orNull(instant),
      counts: programCounts,
      livePrograms: orNull(count),
      leftOut: list(orNull(anyText)),
      leftOutOmitted: count,
      changes: object({
        added: list(programId),
        changed: list(programId),
        removed: list(),
        withdrawn: list(),
      }),
      durationMs: count,
      requests: storeRequests,
      bytesWritten: count,
      failure,
      problems: list(problem),
      problemsOmitted: count,
      problemCounts: problemCounts("star_level_invalid"),
    }),
  ),
  problems: list(problem),
});

const line: Shape = {
  types: ["array"],
  fits: [
    ["a", "1", "unpublished", null],
    [1, null, {}, []],
  ],
  not: [["a", "b", "c"], []],
};

export const sourceMemoryShape = object({
  format: format("source", 2),
  tenantId,
  snapshotId,
  recipe: sha256,
  mayHaveLiveTree: yesOrNo,
  programs: list(line),
  sha256,
});

const lastTenantRun = object({
  runId: snapshotId,
  endedAt: instant,
  outcome: outcomeWord,
  failure: orNull(object({ code: codeWord, message: anyText })),
  onInvalid: oneOf("report", "skip", "fail"),
  leftOut: list(orNull(anyText)),
  leftOutCount: count,
  problemCounts: problemCounts("name_missing"),
});

export const lastRunsShape = object({
  format: format("last-runs"),
  runsOfAll: list(
    object({
      shard: orNull({
        types: ["string"],
        fits: ["1/1", "2/3", "9999/9999"],
        not: ["", "0/2", "1/0", "1", "1/", "/1", "1/10000", "a/b", "1/2\n"],
      }),
      runId: snapshotId,
      startedAt: instant,
      endedAt: instant,
      outcome: outcomeWord,
      failure: orNull(object({ code: codeWord, message: anyText })),
      tenants: list(tenantId),
    }),
  ),
  tenants: map(
    { "atlas-tours": lastTenantRun },
    ["", ".a", "a b", "a/b", "a".repeat(65)].map((id) => ({ [id]: {} })),
  ),
});
