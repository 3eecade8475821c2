import { describe, expect, test } from "vitest";
import { readManifest } from "../../../core/read-manifest.ts";
import { growth } from "../../support/cpu-time.ts";
import { rejectionOf } from "../../support/failure-of.ts";
import {
  chunksOf,
  expectedManifest,
  readText,
  sampleDigest,
  sampleManifest,
  sampleParent,
  sampleSnapshot,
  wholeText,
} from "../../support/manifest-sample.ts";

const folder = `tenants/acme/snapshots/${sampleSnapshot}`;
const canonical = wholeText(sampleManifest());

describe("a manifest is refused as a whole", () => {
  const wrongKey = /wrong key|must be the object key|must have the key/;
  const ownKey = `${folder}/v1/programs/p-1.json`;

  test.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
    ["another tenant's key", { key: ownKey.replace("acme", "evil") }, wrongKey],
    ["a tenant whose id begins alike", { key: ownKey.replace("acme", "acme2") }, wrongKey],
    ["another program's key", { key: ownKey.replace("p-1", "p-2") }, wrongKey],
    ["the key of the list", { key: `${folder}/v1/programs.json` }, wrongKey],
    ["a key that climbs", { key: ownKey.replace("snapshots/", "snapshots/../../evil/snapshots/") }, wrongKey],
    ["an absolute key", { key: `/${ownKey}` }, wrongKey],
    ["no snapshot's folder", { key: "tenants/acme/snapshots/x/v1/programs/p-1.json" }, wrongKey],
    ["no key", { key: undefined }, wrongKey],
    ["a digest in upper case", { sha256: sampleDigest.toUpperCase() }, /digest|sha256/i],
    ["a short digest", { sha256: "ab" }, /digest|sha256/i],
    ["a negative size", { size: -1 }, /size/],
    ["an empty body", { size: 0 }, /size/],
    ["a size that is no integer", { size: 1.5 }, /size/],
    ["a size beyond 32 bits", { size: 2 ** 32 }, /size/],
    ["a size as text", { size: "3" }, /size/],
  ])("P4 when an entry has %s, in both forms", async (_, change, reason) => {
    const document = JSON.parse(canonical);
    const entry = JSON.stringify({ ...document.programs["p-1"], ...change });
    const lines = canonical.split("\n");
    const changed = lines.map((line) => (line.startsWith('"p-1"') ? `"p-1":${entry},` : line));
    document.programs["p-1"] = JSON.parse(entry);
    for (const text of [changed.join("\n"), JSON.stringify(document)]) {
      expect(text).not.toBe(canonical);
      const failure = await rejectionOf(readText(text));
      expect(failure.code).toBe("corrupt_document");
      expect(failure.message).toMatch(reason);
    }
  });

  test.each<[string, (text: string) => string]>([
    ["names another tenant", (text) => text.replace('"tenantId":"acme"', '"tenantId":"evil"')],
    [
      "names another snapshot",
      (text) => text.replace(`"snapshotId":"${sampleSnapshot}"`, `"snapshotId":"${sampleParent}"`),
    ],
    ["counts more programs than it names", (text) => text.replace('"programs":3', '"programs":4')],
    ["counts fewer programs than it names", (text) => text.replace('"programs":3', '"programs":2')],
    ["has another format", (text) => text.replace("manifest@1", "manifest@2")],
    [
      "has the list of another tenant",
      (text) => text.replace('"list":{"key":"tenants/acme', '"list":{"key":"tenants/evil'),
    ],
    [
      "has the legacy list for the list",
      (text) => text.replace("/v1/programs.json", "/api/v1/partner/programs.json"),
    ],
    ["has an ill-formed program id", (text) => text.replaceAll("p-1", "p/1")],
    ["has the program __proto__", (text) => text.replaceAll("p-1", "__proto__")],
    ["has a line that is no entry", (text) => text.replace("\n", "\nnonsense\n")],
    ["is cut off", (text) => text.slice(0, -3)],
    ["is cut off between programs", (text) => text.slice(0, text.indexOf("\n", text.indexOf("p-1")))],
    ["is followed by more", (text) => `${text}{}`],
    ["has a comma behind its last program", (text) => text.replace("}\n}}", "},\n}}")],
    ["is no object", () => "[]"],
    ["is empty", () => ""],
    [
      "names a program twice",
      (text) => text.replace(/"p-1".*\n/, "$&$&").replace('"programs":3', '"programs":4'),
    ],
  ])("when it %s", async (_, change) => {
    const text = change(canonical);
    expect(text).not.toBe(canonical);
    expect((await rejectionOf(readText(text))).code).toBe("corrupt_document");
  });

  test("when its bytes have not the digest that the pointer states", async () => {
    const bytes = Buffer.from(canonical);
    const other = { ...expectedManifest(bytes), manifestSha256: sampleDigest };
    const failure = await rejectionOf(readManifest(chunksOf(bytes, 100), other));
    expect(failure.code).toBe("corrupt_document");
    expect(failure.message).toMatch(
      new RegExp(`${sampleSnapshot} of tenant acme .* digest .*current\\.json`),
    );
  });

  test.each([1, 5, 100_000])("when it is not UTF-8, in chunks of %d bytes", async (size) => {
    const broken = Buffer.from(canonical.replace("p-1", "p\u00ff1"), "latin1");
    const failure = await rejectionOf(readText(broken, size));
    expect(failure.code).toBe("corrupt_document");
    expect(failure.message).toBe(
      `manifest.json of snapshot ${sampleSnapshot} of tenant acme has an entry for what is no program id.`,
    );
  });

  test("when the body fails to arrive: that failure, not a verdict on the manifest", async () => {
    const breaking = (async function* () {
      yield Buffer.from(canonical.slice(0, 50));
      throw new Error("connection lost");
    })();
    await expect(readManifest(breaking, expectedManifest(Buffer.from(canonical)))).rejects.toThrow(
      "connection lost",
    );
  });

  test("when it is a megabyte of short lines, in a time like its length", async () => {
    // A reader that copied the text before each line would need the square of the time.
    const lines = (count: number): string => "a\n".repeat(count);
    const times = await growth(lines(125_000), lines(500_000), async (text) => {
      expect((await rejectionOf(readText(text))).code).toBe("corrupt_document");
    });
    expect(times).toBeLessThan(10);
  });
});
