import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Confirmation,
  type Confirmations,
  confirmationsBytes,
  confirmedFormat,
  readConfirmations,
} from "../../../core/documents/confirmations.ts";
import { parseSnapshotId, parseTenantId } from "../../../core/ground/ids.ts";
import { maxConfirmedBytes } from "../../../core/ground/limits.ts";
import { isConfirmedDocument } from "../../../schemas/generated/validators-stored.ts";
import { validate } from "../../../schemas/validate.ts";

function confirmations(count: number): Confirmations {
  const entry = (at: number): Confirmation => ({
    snapshotId: at % 3 === 0 ? null : parseSnapshotId(`20270101T000000Z-${`${at}`.padStart(8, "0")}`),
    confirmedAt: at % 3 === 0 ? null : "2027-01-01T00:00:00.000Z",
    triedAt: "2027-01-01T00:00:01.000Z",
    outcome: at % 3 === 0 ? "failed" : "unchanged",
  });
  return new Map(Array.from({ length: count }, (_, at) => [parseTenantId(`tenant-${at}`), entry(at)]));
}

const sorted = (map: Confirmations) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));

/** What came out, or why nothing did. */
async function outcome(bytes: Buffer, chunkSize: number): Promise<unknown> {
  try {
    return sorted(await readConfirmations(chunksOf(bytes, chunkSize)));
  } catch (error) {
    return (error as { readonly code?: string }).code;
  }
}

/** What a reader of the schema alone makes of the same bytes. */
function wholeOutcome(bytes: Buffer): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const result = validate(isConfirmedDocument, JSON.parse(text));
    if (!result.valid) return "corrupt_document";
    const tenants = Object.entries(result.document.tenants);
    const isWhole = tenants.every(
      ([, { snapshotId, confirmedAt }]) => (snapshotId === null) === (confirmedAt === null),
    );
    return isWhole ? tenants.sort(([a], [b]) => (a < b ? -1 : 1)) : "corrupt_document";
  } catch {
    return "corrupt_document";
  }
}

/** Each chunk in a turn of the event loop of its own, as a store delivers them. */
async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    await nextTurn();
    yield bytes.subarray(at, at + size);
  }
}

const chunkSize = fc.integer({ min: 1, max: 2000 });

test("the canonical form comes out as it went in, however it is cut", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 20 }), chunkSize, async (count, size) => {
      const bytes = confirmationsBytes(confirmations(count));
      expect(await outcome(bytes, size)).toEqual(sorted(confirmations(count)));
      expect(validate(isConfirmedDocument, JSON.parse(bytes.toString())).valid).toBe(true);
    }),
  );
});

test("whatever is changed in it, it is read or refused as the whole document is", async () => {
  const bytes = confirmationsBytes(confirmations(4));
  const edit = fc.record({
    at: fc.nat(bytes.length),
    remove: fc.integer({ min: 0, max: 30 }),
    insert: fc.constantFrom("", "\n", ",", "}}", '"', ",\n", "}", ',"tenants":{', "\ufeff", "null"),
    size: chunkSize,
  });
  await fc.assert(
    fc.asyncProperty(edit, async ({ at, remove, insert, size }) => {
      const changed = Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(insert),
        bytes.subarray(at + remove),
      ]);
      expect(await outcome(changed, size)).toEqual(wholeOutcome(changed));
    }),
    { numRuns: 1000 },
  );
});

test("a time without its snapshot, or a snapshot without its time, confirms nothing and is refused", async () => {
  const [id, at] = ["20270101T000000Z-00000001", "2027-01-01T00:00:00Z"];
  for (const half of [
    { snapshotId: id, confirmedAt: null },
    { snapshotId: null, confirmedAt: at },
  ]) {
    const entry = { ...half, triedAt: at, outcome: "published" };
    const bytes = Buffer.from(JSON.stringify({ format: confirmedFormat, tenants: { acme: entry } }));
    expect(await outcome(bytes, 100)).toBe("corrupt_document");
  }
});

test("a document that is too large is given up while it is read", async () => {
  let read = 0;
  async function* endless(line: string): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`{"format":"${confirmedFormat}","tenants":{\n`);
    for (let at = 0; ; at += 1) {
      read += line.length;
      yield Buffer.from(line.replace("N", `${at}`));
    }
  }
  const [entry = ""] = confirmationsBytes(confirmations(1)).toString().split("\n").slice(1);
  await expect(readConfirmations(endless(`${entry.replace("tenant-0", "tenant-N")},\n`))).rejects.toThrow(
    "larger",
  );
  expect(read).toBeLessThan(maxConfirmedBytes + 1000);
  read = 0;
  await expect(readConfirmations(endless(`${" ".repeat(1000)}\n`))).rejects.toThrow("larger");
  expect(read).toBeLessThan(maxConfirmedBytes + 2000);
});
