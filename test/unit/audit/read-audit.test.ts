import { describe, expect, test } from "vitest";
import { type AuditQuery, readAudit } from "../../../cli/read/administration/read-audit.ts";
import { parseSnapshotId } from "../../../core/ground/ids.ts";
import { auditKey } from "../../../core/ground/object-key.ts";
import { countingStore } from "../../../core/store/counting-store.ts";
import { bytesBody, documentBytes } from "../../../core/store/object-body.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { AuditDocument } from "../../../schemas/generated/types.ts";
import { fileStoreForEachTest } from "../../support/lasting.ts";

const signal = new AbortController().signal;
const all: AuditQuery = { tenantId: undefined, since: undefined, limit: 1000 };

const store = fileStoreForEachTest();

/** The record of the day so many of January 2027. */
async function put(day: number, outcome: AuditDocument["outcome"], tenant = "acme"): Promise<void> {
  const stamp = `202701${String(day).padStart(2, "0")}T120000Z`;
  const recordId = parseSnapshotId(`${stamp}-${String(day).padStart(8, "0")}`);
  const document: AuditDocument = {
    format: "partner-programs/audit@1",
    recordId,
    outcome,
    at: `2027-01-${String(day).padStart(2, "0")}T12:00:00.000Z`,
    command: "token create",
    actor: { user: "ada", host: "desk" },
    reason: null,
    tenants: [tenant],
    changes: [],
    changesOmitted: 0,
    failure: null,
  };
  const key = auditKey(recordId, outcome === "begun" ? "begun" : "ended");
  await store.put(key, bytesBody(documentBytes(document)));
}

async function putDays(count: number): Promise<void> {
  for (let day = 1; day <= count; day += 1) {
    await put(day, "begun", day % 2 === 0 ? "bora" : "acme");
    await put(day, "done", day % 2 === 0 ? "bora" : "acme");
  }
}

const daysOf = (records: readonly AuditDocument[]) => records.map(({ at }) => Number(at.slice(8, 10)));

describe("the records below audit/", () => {
  test("P87 of many only the newest are read, each once", async () => {
    await putDays(30);
    const counted = countingStore(store);
    const { records, hasOlder } = await readAudit(counted, { ...all, limit: 3 }, signal);
    expect([daysOf(records), hasOlder]).toEqual([[30, 29, 28], true]);
    expect(counted.requests()).toMatchObject({ list: 1, get: 4 });
  });

  test("P87 with a time older ones are neither listed nor read", async () => {
    await putDays(30);
    const counted = countingStore(store);
    const asked: (string | undefined)[] = [];
    const watched: ObjectStore = {
      ...counted,
      list: (prefix, options) => {
        asked.push(options?.after);
        return counted.list(prefix, options);
      },
    };
    const since = new Date("2027-01-29T00:00:00.000Z");
    const { records, hasOlder } = await readAudit(watched, { ...all, since }, signal);
    expect([daysOf(records), hasOlder]).toEqual([[30, 29], false]);
    expect(asked).toEqual(["audit/20270129T000000Z-"]);
    expect(counted.requests()).toMatchObject({ get: 2 });
  });

  test("P85 a record without its end is shown as begun, one with its end once", async () => {
    await put(1, "begun");
    await put(2, "begun");
    await put(2, "failed");
    await put(3, "begun");
    const { records } = await readAudit(store, all, signal);
    expect(records.map(({ outcome }) => outcome)).toEqual(["begun", "failed", "begun"]);
  });

  test("a damaged record hides no other", async () => {
    await putDays(2);
    const key = auditKey(parseSnapshotId("20270103T120000Z-00000003"), "ended");
    await store.put(key, bytesBody(Buffer.from("{}")));
    const { records, faults } = await readAudit(store, all, signal);
    expect([daysOf(records), faults]).toEqual([[2, 1], [expect.stringContaining("audit/20270103T120000Z")]]);
  });
});
