import { problem, problemCounts } from "./run-shapes.ts";
import {
  anyInteger,
  anyText,
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
  format,
  instant,
  nonce,
  outcomeWord,
  scope,
  sha256,
  snapshotId,
  storeId,
  tenantId,
  text,
  tokenId,
} from "./text-shapes.ts";

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
  ancestors: list(snapshotId),
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
