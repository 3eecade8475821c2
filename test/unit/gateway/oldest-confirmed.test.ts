import fc from "fast-check";
import { expect, test } from "vitest";
import type { Confirmation } from "../../../core/confirmations.ts";
import { parseSnapshotId, parseTenantId } from "../../../core/ids.ts";
import { oldestConfirmed } from "../../../gateway/freshness.ts";

const snapshotId = parseSnapshotId("20270101T000000Z-00000001");

function entry(minute: number | null): Confirmation {
  const confirmedAt = minute === null ? null : new Date(minute * 60_000).toISOString();
  return {
    snapshotId: minute === null ? null : snapshotId,
    confirmedAt,
    triedAt: "2027-01-01T00:00:00Z",
    outcome: "failed",
  };
}

test("the longest unconfirmed tenants come first, as many as asked for; those never confirmed have no age", () => {
  const minutes = fc.array(fc.option(fc.nat(20)), { maxLength: 30 });
  fc.assert(
    fc.property(minutes, fc.integer({ min: 1, max: 10 }), (all, count) => {
      const confirmations = new Map(all.map((minute, at) => [parseTenantId(`t${at}`), entry(minute)]));
      const oldest = oldestConfirmed(confirmations, count);
      const expected = all
        .flatMap((minute) => (minute === null ? [] : minute * 60_000))
        .sort((a, b) => a - b)
        .slice(0, count);
      expect(oldest.map(({ confirmedAtMs }) => confirmedAtMs)).toEqual(expected);
      for (const { tenantId, confirmedAtMs } of oldest) {
        expect(confirmations.get(tenantId)?.confirmedAt).toBe(new Date(confirmedAtMs).toISOString());
      }
    }),
  );
});

test("ties are settled by the tenant's id, so that the choice is stable", () => {
  const confirmations = new Map(["c", "a", "b"].map((id) => [parseTenantId(id), entry(1)]));
  expect(oldestConfirmed(confirmations, 2).map(({ tenantId }) => tenantId)).toEqual(["a", "b"]);
});
