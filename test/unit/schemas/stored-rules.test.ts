import { describe, expect, test } from "vitest";
import { isAuditDocument, isRemovedDocument } from "../../../schemas/generated/validators-administration.ts";
import { isRunReport } from "../../../schemas/generated/validators-run-report.ts";
import {
  isConfirmedDocument,
  isCurrentDocument,
  isManifestDocument,
  isSandboxDocument,
  isTokensDocument,
} from "../../../schemas/generated/validators-stored.ts";
import { type CompiledValidator, validate } from "../../../schemas/validate.ts";
import { replaced } from "./mutations.ts";
import * as samples from "./stored-samples.ts";

interface Rule {
  readonly at: string;
  readonly fits: readonly unknown[];
  readonly not: readonly unknown[];
}

const snapshotIds = {
  fits: ["20270201T031500Z-00000000"],
  not: ["20270201T031500Z-0A1B2C3D", "20270201T031500-0a1b2c3d", "2027-02-01T03:15:00Z", "", 1],
};
const instants = {
  fits: ["2028-02-29T23:59:59Z", "2027-01-01T00:00:00.123456789Z"],
  not: ["2027-02-29T00:00:00Z", "2027-01-01T24:00:00Z", "2027-01-01T00:00:00+00:00", "2027-01-01", "", 0],
};
const tenantIds = {
  fits: ["a", "A.b_c~d", "a".repeat(64)],
  not: [null, "", ".a", "a/b", "../b", "a".repeat(65)],
};
const digests = { fits: ["0".repeat(64)], not: [null, "0".repeat(63), "A".repeat(64), ""] };
const key = (rest: string) => `tenants/t/snapshots/20270201T031500Z-0a1b2c3d/${rest}`;
const count = { fits: [0, 9], not: [null, -1, 0.5, "1"] };
const generation = { fits: [1, Number.MAX_SAFE_INTEGER], not: [null, 0, -1, 1.5, 2 ** 53, "1"] };
const countersOf = (object: object, pointer: string): readonly Rule[] =>
  Object.entries(object).flatMap(([key, value]) =>
    typeof value === "number" ? [{ at: `${pointer}/${key}`, ...count }] : [],
  );
const orNull = ({ fits, not }: { fits: readonly unknown[]; not: readonly unknown[] }) => ({
  fits: [null, ...fits],
  not: not.filter((value) => value !== null),
});

const documents: readonly {
  readonly name: string;
  readonly sample: unknown;
  readonly isDocument: CompiledValidator<unknown>;
  readonly rules: readonly Rule[];
}[] = [
  {
    name: "current.json",
    sample: samples.current,
    isDocument: isCurrentDocument,
    rules: [
      { at: "/format", fits: [], not: [null, "partner-programs/current@2", "partner-programs/manifest@1"] },
      { at: "/tenantId", ...tenantIds },
      { at: "/generation", ...generation },
      { at: "/snapshotId", ...snapshotIds, not: [null, ...snapshotIds.not] },
      { at: "/manifestSha256", ...digests },
      { at: "/publishedAt", ...instants, not: [null, ...instants.not] },
      { at: "/hold", fits: [null], not: ["held", true, []] },
      { at: "/hold/reason", fits: ["x"], not: [null, "", " "] },
      { at: "/hold/since", ...instants },
      { at: "/nonce", fits: ["f".repeat(32)], not: [null, "f".repeat(31), "F".repeat(32)] },
    ],
  },
  {
    name: "manifest.json",
    sample: samples.manifest,
    isDocument: isManifestDocument,
    rules: [
      { at: "/format", fits: [], not: [null, "partner-programs/manifest@2"] },
      { at: "/tenantId", ...tenantIds },
      { at: "/generation", ...generation },
      { at: "/snapshotId", ...snapshotIds },
      { at: "/parent", ...orNull(snapshotIds) },
      { at: "/generatedAt", ...instants },
      { at: "/counts/programs", ...count },
      {
        at: "/list/key",
        fits: [key("v1/programs.json"), key("v1/programs/a.b~c.json"), key("api/v1/partner/programs.json")],
        not: [
          null,
          key("v1/programs"),
          key("v1/programs/.json"),
          key("v1/programs/../x.json"),
          key("manifest.json"),
          `/${key("v1/programs.json")}`,
          "tenants/t/current.json",
          "tenants/../snapshots/20270201T031500Z-0a1b2c3d/v1/programs.json",
          "auth/tokens.json",
        ],
      },
      { at: "/list/sha256", ...digests },
      { at: "/list/size", fits: [1, 4_294_967_295], not: [null, 0, -1, 1.5, 4_294_967_296, "1"] },
      { at: "/legacy", fits: [], not: [null, "x"] },
      { at: "/programs", fits: [{}], not: [null, []] },
      { at: "/programs/lisbon-douro", fits: [], not: [null, "x"] },
    ],
  },
  {
    name: "tokens.json",
    sample: samples.tokens,
    isDocument: isTokensDocument,
    rules: [
      { at: "/format", fits: [], not: [null, "partner-programs/tokens@2"] },
      { at: "/revision", fits: [0, Number.MAX_SAFE_INTEGER], not: [null, -1, 0.5, 2 ** 53] },
      { at: "/tokens", fits: [[]], not: [null, {}] },
      { at: "/tokens/0/tokenId", fits: [], not: [null, "tok_", "tok_0123456789ABCde-", "0123456789ABCdef"] },
      { at: "/tokens/0/sha256", ...digests },
      { at: "/tokens/0/tenantId", ...tenantIds },
      { at: "/tokens/0/name", fits: [null, "x"], not: [1, "", " "] },
      {
        at: "/tokens/0/scopes",
        fits: [[], ["a", "b"], [`a${"b".repeat(63)}`]],
        not: [null, ["a", "a"], "a"],
      },
      {
        at: "/tokens/0/scopes/0",
        fits: ["a.b:c-d_9"],
        not: [null, "", "A", "9a", "a b", `a${"b".repeat(64)}`],
      },
      { at: "/tokens/0/expiresAt", ...orNull(instants) },
      {
        at: "/tokens/0/rateLimit",
        fits: [null, 1, Number.MAX_SAFE_INTEGER],
        not: [0, -1, 1.5, 2 ** 53, "60"],
      },
      { at: "/tokens/0/createdAt", ...instants },
      { at: "/tokens/0/revokedAt", ...orNull(instants) },
      { at: "/tokens/0/replaces", fits: [null], not: ["", "tok_"] },
    ],
  },
  {
    name: "sandbox.json",
    sample: samples.sandbox,
    isDocument: isSandboxDocument,
    rules: [
      { at: "/format", fits: [], not: [null, "partner-programs/sandbox@2"] },
      { at: "/tenantId", ...tenantIds },
      { at: "/since", ...instants, not: [null, ...instants.not] },
    ],
  },
  {
    name: "removed.json",
    sample: samples.removed,
    isDocument: isRemovedDocument,
    rules: [
      { at: "/format", fits: [], not: [null, "partner-programs/removed@2"] },
      { at: "/revision", ...generation },
      { at: "/tenants", fits: [{}], not: [null, []] },
      { at: "/tenants/atlas-tours/removedAt", ...orNull(instants) },
      { at: "/tenants/atlas-tours/isPurged", fits: [false], not: [null, "yes"] },
      { at: "/tenants/atlas-tours/generation", ...count },
    ],
  },
  {
    name: "audit",
    sample: samples.audit,
    isDocument: isAuditDocument,
    rules: [
      { at: "/format", fits: [], not: [null, "partner-programs/audit@2"] },
      { at: "/recordId", ...snapshotIds, not: [null, ...snapshotIds.not] },
      { at: "/outcome", fits: ["begun", "done"], not: [null, "refused"] },
      { at: "/at", ...instants },
      { at: "/command", fits: ["token create"], not: [null, ""] },
      { at: "/actor/user", fits: ["uid 1000"], not: [null, ""] },
      { at: "/reason", fits: [null], not: ["", 1] },
      { at: "/tenants/0", ...tenantIds },
      { at: "/changes/0/before", fits: [null], not: [{}, "x"] },
      { at: "/changes/0/after", fits: [], not: [null, {}] },
      { at: "/changes/1/before", fits: [null], not: [{}, "x"] },
      { at: "/changes/2/deletedObjects", ...count },
      { at: "/changes/3/kind", fits: [], not: ["deletion", "other", null] },
      { at: "/changesOmitted", ...count },
      { at: "/failure", fits: [null], not: ["x", {}] },
    ],
  },
  {
    name: "confirmed.json",
    sample: samples.confirmed,
    isDocument: isConfirmedDocument,
    rules: [
      { at: "/format", fits: [], not: [null, "partner-programs/confirmed@2"] },
      { at: "/tenants", fits: [{}], not: [null, []] },
      { at: "/tenants/atlas-tours", fits: [], not: [null, "x"] },
      { at: "/tenants/atlas-tours/snapshotId", ...orNull(snapshotIds) },
      { at: "/tenants/atlas-tours/confirmedAt", ...orNull(instants) },
      { at: "/tenants/atlas-tours/triedAt", ...instants },
      {
        at: "/tenants/atlas-tours/outcome",
        fits: ["held", "would-publish", "a".repeat(32)],
        not: [null, "", "Held", "a b", "a\n", "-a", "a".repeat(33)],
      },
    ],
  },
  {
    name: "run report",
    sample: samples.runReport,
    isDocument: isRunReport,
    rules: [
      { at: "/format", fits: [], not: [null, "partner-programs/run-report@2"] },
      { at: "/runId", ...snapshotIds },
      { at: "/startedAt", ...instants },
      { at: "/finishedAt", ...instants },
      { at: "/durationMs", ...count },
      { at: "/outcome", fits: ["unchanged", "dry-run", "interrupted"], not: [null, "held", "ok"] },
      { at: "/exitStatus", fits: [0, 1, 2, 3, 4, 130], not: [null, 5, "0"] },
      { at: "/version", fits: ["1.0.0-rc.1"], not: [null, ""] },
      { at: "/options/tenants", fits: [null, []], not: ["atlas-tours", {}] },
      { at: "/options/concurrency", fits: [1], not: [null, 0, 1.5] },
      { at: "/options/onInvalid", fits: ["fail"], not: [null, "ignore"] },
      { at: "/options/dryRun", fits: [true], not: [null, 1] },
      { at: "/options/legacyCapacity", fits: ["total"], not: [null, "integer"] },
      ...countersOf(samples.runReport.storeRequests, "/storeRequests"),
      ...countersOf(samples.runReport.totals, "/totals"),
      ...countersOf(samples.runReport.totals.tenants, "/totals/tenants"),
      ...countersOf(samples.runReport.totals.programs, "/totals/programs"),
      { at: "/tenants/0/durationMs", ...count },
      { at: "/tenants/0/bytesWritten", ...count },
      { at: "/tenants/0/problemsOmitted", ...count },
      { at: "/failure", fits: [null], not: ["x", []] },
      { at: "/failure/code", fits: ["a_1"], not: [null, "", "Bad", "a b"] },
      { at: "/failure/message", fits: ["x"], not: [null, ""] },
      {
        at: "/tenants/0/outcome",
        fits: ["held", "skipped", "elsewhere", "would-publish"],
        not: [null, "partial"],
      },
      { at: "/tenants/0/snapshotId", ...orNull(snapshotIds) },
      { at: "/tenants/0/generation", ...orNull(generation) },
      { at: "/tenants/0/failure", fits: [null], not: ["x", []] },
      { at: "/tenants/0/previousSnapshotId", ...orNull(snapshotIds) },
      { at: "/tenants/0/confirmedAt", ...orNull(instants) },
      { at: "/tenants/0/problemCounts", fits: [{}], not: [null, []] },
      { at: "/tenants/0/problemCounts/star_level_invalid", fits: [1], not: [null, 0, 1.5] },
      { at: "/tenants/0/problems/0/severity", fits: ["error"], not: [null, "info"] },
      { at: "/tenants/0/problems/0/code", fits: ["x"], not: [null, "", "X"] },
      { at: "/tenants/0/problems/0/programId", fits: [null, "not an id"], not: [7] },
      { at: "/tenants/0/problems/0/field", fits: [null], not: [7] },
      {
        at: "/tenants/0/problems/0/value",
        fits: [null, "", "\n", "🧭".repeat(200)],
        not: [7, "x".repeat(201)],
      },
      { at: "/problems/0/message", fits: ["x"], not: [null, ""] },
    ],
  },
];

describe.each(documents)("$name", ({ sample, isDocument, rules }) => {
  describe.each(rules)("$at", ({ at, fits, not }) => {
    test.each(fits.map(shown))("may be %s", (_, value) => {
      expect(validate(isDocument, replaced(sample, at, value))).toMatchObject({ valid: true });
    });

    test.each(not.map(shown))("may not be %s", (_, value) => {
      const result = validate(isDocument, replaced(sample, at, value));
      expect(result).toMatchObject({ valid: false, violation: { path: at } });
    });
  });
});

function shown(value: unknown): readonly [string, unknown] {
  return [JSON.stringify(value), value];
}
