import { expect, test } from "vitest";
import { snapshotObject } from "../../../cli/read/snapshots/snapshot-marks.ts";
import { parseTenantId } from "../../../core/ground/ids.ts";

const tenantId = parseTenantId("atlas");
const snapshotId = "20260101T000000Z-00000000";
const folder = `tenants/atlas/snapshots/${snapshotId}`;

test.each([
  ["v1/programs.json", "response"],
  ["v1/programs/KYOTO-1.json", "response"],
  ["v1/programs/a.json.json", "response"],
  ["api/v1/partner/programs.json", "response"],
  ["manifest.json", "manifest"],
  ["withdrawn.json", "mark"],
  ["condemned.json", "mark"],
])("%s in a snapshot's folder is a %s", (path, kind) => {
  expect(snapshotObject(tenantId, `${folder}/${path}`)).toEqual({
    key: `${folder}/${path}`,
    snapshotId,
    kind,
  });
});

test.each([
  `${folder}/notes.json`,
  `${folder}/v1/programs/.json`,
  `${folder}/v1/programs/-a.json`,
  `${folder}/v1/programs/a/b.json`,
  `${folder}/v1/programs/a.txt`,
  `${folder}/v1/manifest.json`,
  folder,
  "tenants/atlas/snapshots/today/manifest.json",
  "tenants/atlas/current.json",
  `tenants/kinneret/snapshots/${snapshotId}/manifest.json`,
])("%s is foreign", (key) => expect(snapshotObject(tenantId, key)).toBeUndefined());
