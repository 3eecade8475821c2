import { expect, test } from "vitest";
import {
  changingMarkerText,
  completeMarkerText,
  parseLiveMarker,
} from "../../../cli/publish/snapshot/live-marker.ts";
import type { Manifest } from "../../../core/documents/manifest.ts";
import { parseSnapshotId, parseTenantId } from "../../../core/ground/ids.ts";
import { currentOf } from "../../support/gateway-snapshots.ts";

const tenantId = parseTenantId("acme");
const snapshotId = parseSnapshotId("20270101T000000Z-00000000");
const current = currentOf({ tenantId, generation: 7, snapshotId, manifestSha256: "a".repeat(64) });
const manifest = { programs: { count: 12 }, generatedAt: "2027-01-01T00:00:00.000Z" } as Manifest;
const complete = completeMarkerText(current, manifest);
const named = { snapshotId: current.snapshotId, manifestSha256: current.manifestSha256 };

test("a complete marker reads back as it was written", () => {
  expect(parseLiveMarker(complete, tenantId)).toEqual(named);
  // Release 0.2.0 named the machine's run, too.
  expect(parseLiveMarker(complete.replace("\n\n", "\nboot: 5a1c\n\n"), tenantId)).toEqual(named);
});

test.each([
  ["nothing", ""],
  ["being changed", changingMarkerText(current)],
  ["a state that is neither", complete.replace("state: complete", "state: ")],
  ["another page", "Hello\n"],
  ["another tenant's", complete.replace("tenant: acme", "tenant: other")],
  ["another format", complete.replace("live@1", "live@2")],
  ["no snapshot", complete.replace(/^snapshot: .*$/m, "snapshot: ../x")],
  ["no digest", complete.replace(/^manifest: .*$/m, "manifest:")],
  ["lines that come later than the head", `\n${complete}`],
])("is none: %s", (_, text) => expect(parseLiveMarker(text, tenantId)).toBeUndefined());
