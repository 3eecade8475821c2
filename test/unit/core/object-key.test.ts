import { describe, expect, test } from "vitest";
import { parseProgramId, parseSnapshotId, parseTenantId } from "../../../core/ids.ts";
import {
  currentKey,
  isObjectKey,
  manifestKey,
  responseKey,
  runKey,
  snapshotPrefix,
  tenantPrefix,
  tokensKey,
} from "../../../core/object-key.ts";

const tenant = parseTenantId("acme");
const snapshot = parseSnapshotId("20260131T120000Z-0a1b2c3d");

describe("object keys", () => {
  test("are those of the documented layout", () => {
    const programId = parseProgramId("P~1.a");
    expect([
      currentKey(tenant),
      manifestKey(tenant, snapshot),
      responseKey(tenant, snapshot, { kind: "list" }),
      responseKey(tenant, snapshot, { kind: "detail", programId }),
      responseKey(tenant, snapshot, { kind: "legacy" }),
      tokensKey,
      runKey(snapshot),
    ]).toEqual([
      "tenants/acme/current.json",
      "tenants/acme/snapshots/20260131T120000Z-0a1b2c3d/manifest.json",
      "tenants/acme/snapshots/20260131T120000Z-0a1b2c3d/v1/programs.json",
      "tenants/acme/snapshots/20260131T120000Z-0a1b2c3d/v1/programs/P~1.a.json",
      "tenants/acme/snapshots/20260131T120000Z-0a1b2c3d/api/v1/partner/programs.json",
      "auth/tokens.json",
      "runs/20260131T120000Z-0a1b2c3d.json",
    ]);
  });

  test("of one tenant never begin with the prefix of another, though its id begin alike", () => {
    const longer = parseTenantId("acme-2");
    expect(currentKey(longer).startsWith(tenantPrefix(tenant))).toBe(false);
    expect(snapshotPrefix(tenant, snapshot).startsWith(tenantPrefix(tenant))).toBe(true);
  });

  test("fit every driver for the longest ids", () => {
    const longest = responseKey(parseTenantId("t".repeat(64)), snapshot, {
      kind: "detail",
      programId: parseProgramId(`a${"~".repeat(127)}`),
    });
    expect(isObjectKey(longest)).toBe(true);
  });
});
