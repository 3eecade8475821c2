import {
  anyInteger,
  anyText,
  atLeastOne,
  count,
  generation,
  integer,
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
  instant,
  nonce,
  outcomeWord,
  programId,
  scope,
  sha256,
  shortened,
  snapshotId,
  storeId,
  tenantId,
  text,
  tokenId,
} from "./text-shapes.ts";

const format = (kind: string) => oneOf(`partner-programs/${kind}@1`);

const key = (rest: string) => `tenants/t/snapshots/20270201T031500Z-0a1b2c3d/${rest}`;
const objectKey: Shape = {
  types: ["string"],
  fits: [key("v1/programs.json"), key("v1/programs/a.b~c.json"), key("api/v1/partner/programs.json")],
  not: [
    key("v1/programs"),
    key("v1/programs/.json"),
    key("v1/programs/../x.json"),
    key("v1/programs.jsonx"),
    key("v1/programsxjson"),
    key("manifest.json"),
    `/${key("v1/programs.json")}`,
    "tenants/t/current.json",
    "tenants/../snapshots/20270201T031500Z-0a1b2c3d/v1/programs.json",
    "auth/tokens.json",
  ],
};
const entry = object({ key: objectKey, sha256, size: integer(1, 4_294_967_295) });

const problem = object({
  severity: oneOf("error", "warning"),
  code: codeWord,
  programId: orNull(anyText),
  field: orNull(anyText),
  value: orNull(shortened),
  message: text,
});
const problemCounts = (code: string) =>
  map({ [code]: atLeastOne }, [{ "": 1 }, { Bad: 1 }, { "a b": 1 }, { "a-b": 1 }, { _a: 1 }]);

export const currentShape = object({
  format: format("current"),
  tenantId,
  generation,
  snapshotId,
  manifestSha256: sha256,
  publishedAt: instant,
  hold: orNull(object({ reason: text, since: instant })),
  nonce,
});

export const manifestShape = object({
  format: format("manifest"),
  tenantId,
  generation,
  snapshotId,
  parent: orNull(snapshotId),
  generatedAt: instant,
  contentAt: instant,
  contract: sha256,
  counts: object({ programs: count }),
  list: entry,
  legacy: entry,
  programs: map({ "lisbon-douro": entry }, ["", "a b", "../b", "a".repeat(129)].map(keyOfEntry)),
  source: object({
    digest: sha256,
    notPublishable: count,
    invalid: count,
    problems: list(problem),
    problemsOmitted: count,
    problemCounts: problemCounts("currency_invalid"),
  }),
});

function keyOfEntry(id: string): object {
  return { [id]: { key: key("v1/programs/a.json"), sha256: "0".repeat(64), size: 1 } };
}

export const tokensShape = object({
  format: format("tokens"),
  revision: integer(0, Number.MAX_SAFE_INTEGER),
  tokens: list(
    object({
      tokenId,
      sha256,
      tenantId,
      name: orNull(text),
      scopes: { ...list(scope), fits: [[], ["a", "b"]], not: [["a", "a"]] },
      expiresAt: orNull(instant),
      rateLimit: orNull(integer(1, Number.MAX_SAFE_INTEGER)),
      createdAt: instant,
      revokedAt: orNull(instant),
      replaces: orNull(tokenId),
    }),
  ),
});

const notTenants = ["", ".a", "a b", "a/b", "a".repeat(65)];

export const confirmedShape = object({
  format: format("confirmed"),
  tenants: map(
    {
      "atlas-tours": object({
        snapshotId: orNull(snapshotId),
        confirmedAt: orNull(instant),
        triedAt: instant,
        outcome: outcomeWord,
      }),
    },
    notTenants.map((id) => ({
      [id]: { snapshotId: null, confirmedAt: null, triedAt: "2027-02-01T03:15:00Z", outcome: "held" },
    })),
  ),
});

export const storeShape = object({ format: format("store"), storeId, createdAt: instant });

export const damagedShape = object({
  format: format("damaged"),
  tenants: map(
    { "atlas-tours": object({ foundAt: instant, keys: list(anyText) }) },
    notTenants.map((id) => ({ [id]: { foundAt: "2027-02-01T03:15:00Z", keys: [] } })),
  ),
});

export const sandboxShape = object({ format: format("sandbox"), tenantId, since: instant });

export const removedShape = object({
  format: format("removed"),
  revision: generation,
  tenants: map(
    {
      "atlas-tours": object({
        removedAt: orNull(instant),
        isPurged: yesOrNo,
        generation: integer(0, Number.MAX_SAFE_INTEGER),
      }),
    },
    notTenants.map((id) => ({ [id]: { removedAt: null, isPurged: false, generation: 0 } })),
  ),
});

const tokenState = object({
  tenantId,
  name: orNull(text),
  scopes: list(anyText),
  expiresAt: orNull(instant),
  rateLimit: orNull(anyInteger),
  revokedAt: orNull(instant),
});
const liveState = object({
  snapshotId,
  generation: orNull(anyInteger),
  programs: orNull(anyInteger),
  isHeld: orNull(yesOrNo),
});

export const auditShape = object({
  format: format("audit"),
  recordId: snapshotId,
  outcome: oneOf("begun", "done", "failed"),
  at: instant,
  command: text,
  actor: object({ user: text, host: text }),
  reason: orNull(text),
  tenants: list(tenantId),
  changes: list(
    object({ kind: oneOf("token"), tokenId, before: orNull(tokenState), after: tokenState }),
    object({ kind: oneOf("snapshot"), tenantId, before: orNull(liveState), after: liveState }),
    object({ kind: oneOf("deletion"), tenantId, deletedSnapshots: count, deletedObjects: count }),
    object({ kind: oneOf("removal"), tenantId, isPurged: yesOrNo, generation: count }),
  ),
  changesOmitted: count,
  failure: orNull(object({ code: codeWord, message: anyText })),
});

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
    concurrency: atLeastOne,
    onInvalid: oneOf("report", "skip", "fail"),
    allowShrink: yesOrNo,
    allowEmptied: yesOrNo,
    allowShared: yesOrNo,
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
        changed: list(object({ programId, fields: list(anyText) })),
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

const memory = (programs: Shape, rest: Shape) =>
  object({ format: format("source"), tenantId, snapshotId, recipe: sha256, programs, rest, sha256 });
const line: Shape = {
  types: ["array"],
  fits: [
    ["a", "1", "draft"],
    [1, null, {}, []],
  ],
  not: [["a", "b"], []],
};

const pair: Shape = { types: ["array"], fits: [["a", "3f"]], not: [[], ["a"], ["a", "b", "c"], ["a", 1]] };

export const sourceMemoryShape = memory(
  list(line),
  object({
    strays: list(object({ view: codeWord, programs: atLeastOne, firstProgramId: orNull(anyText) })),
    unlisted: orNull(list(anyText)),
    earlier: list(pair),
    mayHaveLiveTree: yesOrNo,
  }),
);

export const blockedMemoryShape = memory(
  list(),
  object({
    blocked: object({
      sums: sha256,
      counts: programCounts,
      findings: object({
        problems: list(problem),
        problemsOmitted: count,
        problemCounts: problemCounts("star_level_invalid"),
      }),
      leftOut: list(orNull(anyText)),
      emptiedFields: list(
        object({ field: anyText, filled: atLeastOne, emptied: atLeastOne, programIds: list(programId) }),
      ),
      earlier: list(),
      mayHaveLiveTree: yesOrNo,
    }),
  }),
);
