import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Manifest, manifestText } from "../../../core/documents/manifest.ts";
import { ProgramTable } from "../../../core/documents/program-table.ts";
import { readManifest } from "../../../core/documents/read-manifest.ts";
import { parseProgramId, parseSnapshotId, parseTenantId } from "../../../core/ground/ids.ts";
import { responseKey } from "../../../core/ground/object-key.ts";
import { isManifestDocument } from "../../../schemas/generated/validators-stored.ts";
import { growth } from "../../support/cpu-time.ts";
import { rejectionOf } from "../../support/failure-of.ts";
import { sized } from "../../support/quick-pass.ts";

const tenantId = parseTenantId("acme");
const snapshotId = parseSnapshotId("20260201T120000Z-0a1b2c3d");
const parent = parseSnapshotId("20260131T120000Z-00000000");
const sha256 = "ab".repeat(32);
const folder = `tenants/acme/snapshots/${snapshotId}`;

/**
 * A manifest of the tenant acme with the programs p-0, p-1, ..., every other one unchanged since the parent.
 */
function sample(count = 3): Manifest {
  const programs = new ProgramTable();
  for (let at = 0; at < count; at += 1) {
    const digest = at.toString(16).padStart(64, "0");
    const builtIn = at % 2 === 0 ? snapshotId : parent;
    programs.add(parseProgramId(`p-${at}`), { snapshotId: builtIn, sha256: digest, size: at + 1 });
  }
  return {
    ...{ tenantId, generation: 7, snapshotId, parent, generatedAt: "2026-02-01T12:00:00.000Z" },
    ancestors: [parent],
    removed: { since: null, builds: [{ snapshotId, before: parent, programs: ["programs", "q"] }] },
    contract: "c0".repeat(32),
    list: { key: responseKey(tenantId, snapshotId, { kind: "list" }), sha256, size: 10 },
    legacy: { key: responseKey(tenantId, parent, { kind: "legacy" }), sha256, size: 20 },
    programs,
  };
}

const wholeText = (manifest: Manifest): string => [...manifestText(manifest)].join("");
const canonical = wholeText(sample());

function* chunksOf(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Reads the text, with its own digest unless another is stated. */
function read(text: string | Buffer, chunkBytes = 64 * 1024, stated?: string): Promise<Manifest> {
  const bytes = Buffer.from(text);
  const manifestSha256 = stated ?? createHash("sha256").update(bytes).digest("hex");
  return readManifest(chunksOf(bytes, chunkBytes), { tenantId, snapshotId, manifestSha256 });
}

describe("a manifest", () => {
  test.each([1, 7, 64, 100_000])(
    "is read as it was written, one program a line, in chunks of %d bytes",
    async (size) => {
      expect(isManifestDocument(JSON.parse(canonical))).toBe(true);
      expect(canonical.split("\n").map((line) => line.slice(0, 5))).toEqual([
        '{"for',
        '"p-0"',
        '"p-1"',
        '"p-2"',
        "}}",
      ]);
      expect(await read(canonical, size)).toEqual(sample());
    },
  );

  test("P43 of many programs is written in small pieces, read in a time like its length, and leaves others their turn", async () => {
    expect(Math.max(...[...manifestText(sample(1000))].map(({ length }) => length))).toBeLessThan(2000);
    let turns = 0;
    const count = (): void => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const most = sized({ whole: 100_000, quick: 20_000 });
    const times = await growth(wholeText(sample(most / 4)), wholeText(sample(most)), async (text) => {
      const { programs } = await read(text, text.length);
      expect(programs.get(`p-${programs.count - 1}`)).toMatchObject({ size: programs.count });
    });
    clearImmediate(next);
    expect(times).toBeLessThan(10);
    expect(turns).toBeGreaterThan(most / 1000);
  });

  const document = JSON.parse(canonical);
  const counts = { notPublishable: 0, invalid: 0, problemsOmitted: 0, problemCounts: {} };
  const source = JSON.stringify({ digest: sha256, ...counts, problems: [] });
  test.each([
    ["minified", JSON.stringify(document)],
    ["indented, with CRLF", JSON.stringify(document, null, 2).replaceAll("\n", "\r\n")],
    ["with keys in another order", JSON.stringify(Object.fromEntries(Object.entries(document).reverse()))],
    ["with what earlier versions wrote of the source", canonical.replace(/\}$/, `,"source":${source}}`)],
    ["with line breaks inside entries", canonical.replaceAll(',"sha256"', ',\n"sha256"')],
    ["with two entries on a line", canonical.replace('},\n"p-2"', '},"p-2"')],
    ["with escaped ids and blank lines", canonical.replaceAll('"p-', '"\\u0070-').replaceAll("\n", "\n\n")],
  ])("is read from any other JSON of the schema: %s", async (_, text) => {
    expect(text).not.toBe(canonical);
    expect(wholeText(await read(text))).toBe(canonical);
  });
});

describe("P4 a manifest is refused as a whole", () => {
  const ownKey = `${folder}/v1/programs/p-1.json`;

  test.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
    ["another tenant's key", { key: ownKey.replace("acme", "evil") }, /key/],
    ["a tenant whose id begins alike", { key: ownKey.replace("acme", "acme2") }, /key/],
    ["another program's key", { key: ownKey.replace("p-1", "p-2") }, /key/],
    ["the key of the list", { key: `${folder}/v1/programs.json` }, /key/],
    ["a key that climbs", { key: ownKey.replace("snapshots/", "snapshots/../../evil/snapshots/") }, /key/],
    ["no key", { key: undefined }, /key/],
    ["a digest in upper case", { sha256: sha256.toUpperCase() }, /digest|sha256/i],
    ["an empty body", { size: 0 }, /size/],
    ["a size beyond 32 bits", { size: 2 ** 32 }, /size/],
  ])("when an entry has %s, in both forms", async (_, change, reason) => {
    const whole = JSON.parse(canonical);
    const entry = { ...whole.programs["p-1"], ...change };
    const changed = canonical.replace(/^"p-1":.*$/m, `"p-1":${JSON.stringify(entry)},`);
    whole.programs["p-1"] = entry;
    for (const text of [changed, JSON.stringify(whole)]) {
      const { code, message } = await rejectionOf(read(text));
      expect([code, message]).toEqual(["corrupt_document", expect.stringMatching(reason)]);
    }
  });

  test.each<[string, (text: string) => string | Buffer]>([
    ["names another tenant", (text) => text.replace('"tenantId":"acme"', '"tenantId":"evil"')],
    [
      "names another snapshot",
      (text) => text.replace(`"snapshotId":"${snapshotId}"`, `"snapshotId":"${parent}"`),
    ],
    ["counts more programs than it names", (text) => text.replace('"programs":3', '"programs":4')],
    [
      "has the list of another tenant",
      (text) => text.replace('"list":{"key":"tenants/acme', '"list":{"key":"tenants/evil'),
    ],
    [
      "has the legacy list for the list",
      (text) => text.replace("/v1/programs.json", "/api/v1/partner/programs.json"),
    ],
    ["has the program __proto__", (text) => text.replaceAll("p-1", "__proto__")],
    ["has a line that is no entry", (text) => text.replace("\n", "\nnonsense\n")],
    ["is cut off between programs", (text) => text.slice(0, text.indexOf("\n", text.indexOf("p-1")))],
    ["is followed by more", (text) => `${text}{}`],
    ["has a comma behind its last program", (text) => text.replace("}\n}}", "},\n}}")],
    ["is empty", () => ""],
    [
      "names a program twice",
      (text) => text.replace(/"p-1".*\n/, "$&$&").replace('"programs":3', '"programs":4'),
    ],
    ["is not UTF-8", (text) => Buffer.from(text.replace("p-1", "p\u00ff1"), "latin1")],
    ["is a megabyte of short lines", () => "a\n".repeat(500_000)],
  ])("when it %s", async (_, change) => {
    expect((await rejectionOf(read(change(canonical)))).code).toBe("corrupt_document");
  });

  test("when its bytes have not the digest that the pointer states", async () => {
    const { code, message } = await rejectionOf(read(canonical, 100, sha256));
    expect([code, message]).toEqual(["corrupt_document", expect.stringMatching(/ digest .*current\.json/)]);
  });
});
