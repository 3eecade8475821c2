import { describe, expect, test } from "vitest";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { sourceMemoryKey } from "../../../core/ground/object-key.ts";
import { buildCanned } from "../../support/canned-source.ts";
import { forgeResponse } from "../../support/forge-response.ts";
import { memoryText, writeMemoryText } from "../../support/memory-document.ts";
import { freshWorkbench, tenantRun } from "../../support/workbench.ts";

const bench = freshWorkbench("acme", "beta");
const memoryKey = sourceMemoryKey(parseTenantId("acme"));
const plain = ["p-1", "p-2", "p-3", "p-4", "p-5", "p-6"];

/** List, legacy list and manifest name these programs, and `snapshot verify` finds nothing. */
async function expectAgreement(ids: readonly string[]): Promise<void> {
  const { list, legacy, details } = await bench.published("acme");
  expect([...details.keys()].sort()).toEqual([...ids].sort());
  expect(list.data.map(({ id }) => id).sort()).toEqual([...ids].sort());
  expect(list.meta.count).toBe(ids.length);
  expect(legacy.programs.map(({ name }) => name)).toEqual(list.data.map(({ name }) => name));
  const { status, stdout } = await bench.run(["snapshot", "verify", "--tenant", "acme"]);
  expect(status, stdout).toBe(0);
}

const withFindings = (program_id: string, findings: number) => ({
  program_id,
  gallery_urls: Array.from({ length: findings }, (_, at) => `http://pictures.example/${at}`),
});
const withBytes = (program_id: string, bytes: number) => ({ program_id, description: "x".repeat(bytes) });

/**
 * Programs at, below and above what builds treat in another way: the most findings that the memory keeps of a
 * program, and that a report shows of a tenant; and the size from which a program is read alone.
 */
const oddPrograms = {
  "49 findings": withFindings("odd", 49),
  "50 findings": withFindings("odd", 50),
  "51 findings": withFindings("odd", 51),
  "300 findings": withFindings("odd", 300),
  "just under 128 KB": withBytes("odd", 127 * 1024),
  "128 KB": withBytes("odd", 128 * 1024),
  "200 KB": withBytes("odd", 200 * 1024),
  "no finding": { program_id: "odd" },
};

/** What happens to the odd program, and which programs there are afterwards. */
const changes: Readonly<Record<string, readonly [sql: string, left: readonly string[]]>> = {
  deleted: ["DELETE FROM partner_source.programs WHERE program_id = 'odd'", plain],
  moved: ["UPDATE partner_source.programs SET tenant_id = 'beta' WHERE program_id = 'odd'", plain],
  ended: ["UPDATE partner_source.programs SET lifecycle_state = 'ended' WHERE program_id = 'odd'", plain],
  faulty: ["UPDATE partner_source.programs SET name = ' ' WHERE program_id = 'odd'", plain],
  mended: [
    "UPDATE partner_source.programs SET gallery_urls = NULL, description = NULL WHERE program_id = 'odd'",
    [...plain, "odd"],
  ],
  "the last one": ["DELETE FROM partner_source.programs WHERE program_id <> 'odd'", ["odd"]],
  "gone with another": [
    "DELETE FROM partner_source.programs WHERE program_id IN ('odd', 'p-1')",
    plain.slice(1),
  ],
  "beside rows without an id": [
    "INSERT INTO partner_source.programs (tenant_id, program_id, name) VALUES ('acme', NULL, 'x'), ('acme', NULL, 'y')",
    [...plain, "odd"],
  ],
  "beside rows of unknown programs": [
    "INSERT INTO partner_source.faq (tenant_id, program_id, question, answer) VALUES ('acme', 'nobody', 'q', 'a')",
    [...plain, "odd"],
  ],
};

describe.each(Object.entries(oddPrograms))("P223 a program with %s", (_, odd) => {
  test.each(Object.entries(changes))(
    "leaves lists and details alike when it is %s",
    async (_name, [sql, left]) => {
      await bench.insertPrograms("acme", ...plain, odd);
      await bench.build();
      await expectAgreement([...plain, "odd"]);
      await bench.source.query(sql);
      const { report } = await bench.build(["--allow-shrink"]);
      expect(["published", "unchanged"]).toContain(tenantRun(report, "acme").outcome);
      await expectAgreement(left);
    },
  );
});

describe("P223 a live list that disagrees with its manifest", () => {
  const list = { kind: "list" } as const;
  const element = /,\{"id":"p-2".*?(?=,\{"id":"p-3")/;
  const faults: Readonly<Record<string, (text: string) => string>> = {
    "is empty": () => '{"data":[],"meta":{"count":0}}',
    "lacks an element": (text) => text.replace(element, ""),
    "has an element twice": (text) => text.replace(element, "$&$&"),
    "has one in the place of another": (text) => text.replace('{"id":"p-2"', '{"id":"p-3"'),
    "has another tenant's": (text) => text.replace('{"id":"p-2"', '{"id":"z-2"'),
    "has one too many": (text) => text.replace(element, (found) => found + found.replace("p-2", "p-2a")),
    "is cut": (text) => `${text.slice(0, text.length / 2)}],"meta":{"count":6}}`,
  };

  test.each(Object.entries(faults))("%s: nothing of it is taken over", async (_, change) => {
    await bench.insertPrograms("acme", ...plain);
    await bench.build();
    await forgeResponse(bench.store, "acme", list, change);
    await bench.source.query(
      "UPDATE partner_source.programs SET capacity_total = 3 WHERE program_id = 'p-5'",
    );
    expect((await bench.build()).status).toBe(0);
    await expectAgreement(plain);
  });

  test.each(Object.entries(faults))(
    "%s: a withdrawal makes both lists from the live details",
    async (_, change) => {
      await bench.insertPrograms("acme", ...plain);
      await bench.build();
      await bench.insertPrograms("acme", "p-7");
      await bench.build();
      await bench.run(["snapshot", "rollback", "--tenant", "acme"]);
      await forgeResponse(bench.store, "acme", list, change);
      await bench.source.query(
        "UPDATE partner_source.programs SET lifecycle_state = 'ended' WHERE program_id = 'p-5'",
      );
      expect((await bench.build()).status).toBe(0);
      await expectAgreement(plain.filter((id) => id !== "p-5"));
    },
  );

  test("is right again after the first build without the memory of it", async () => {
    await bench.insertPrograms("acme", ...plain);
    await bench.build();
    await forgeResponse(bench.store, "acme", list, () => '{"data":[],"meta":{"count":0}}');
    await forgeResponse(bench.store, "acme", { kind: "legacy" }, () => '{"success":true,"programs":[]}');
    // Another version of the generator has another recipe, to which this memory is none.
    await bench.store.delete([memoryKey]);
    expect(tenantRun((await bench.build()).report, "acme").outcome).toBe("published");
    await expectAgreement(plain);
  });
});

test("P223 a memory that disagrees with its manifest makes the same build read everything", async () => {
  await bench.insertPrograms("acme", ...plain);
  await bench.build();
  // As a defect would leave it: the memory says of a program that was never published that it is live.
  await bench.insertPrograms("acme", "p-7");
  await bench.build(["--dry-run"]);
  const before = await memoryText(bench.store, "acme");
  await bench.build();
  const after = await memoryText(bench.store, "acme");
  await bench.run(["snapshot", "rollback", "--tenant", "acme"]);
  await bench.run(["snapshot", "release", "--tenant", "acme"]);
  const { snapshotId } = (await bench.published("acme")).current;
  const [, idBefore = ""] = /"snapshotId":"([^"]+)"/.exec(after) ?? [];
  expect(before).not.toBe(after);
  await writeMemoryText(bench.store, "acme", after.replace(idBefore, snapshotId));
  expect((await bench.build()).status).toBe(0);
  await expectAgreement([...plain, "p-7"]);
});

test("P223 a tenant whose content disagrees however it is read fails, and its memory is deleted", async () => {
  const [one, two] = [
    { programId: "p-1", name: "One" },
    { programId: "p-2", name: "Two" },
  ];
  await buildCanned(bench.store, "acme", [one]);
  expect(await memoryText(bench.store, "acme")).not.toBe("");
  const run = await buildCanned(bench.store, "acme", [one, two, two]);
  expect([run.outcome, run.failure?.code]).toEqual(["failed", "internal"]);
  expect(run.failure?.message).toContain("program p-2");
  expect(await memoryText(bench.store, "acme")).toBe("");
  await expectAgreement(["p-1"]);
});

test("P20 a withdrawal leaves the elements of all other programs as they are live, whatever the settings say now", async () => {
  await bench.insertPrograms("acme", ...plain);
  await bench.build();
  await bench.insertPrograms("acme", "p-7");
  await bench.build();
  await bench.run(["snapshot", "rollback", "--tenant", "acme"]);
  const before = (await bench.published("acme")).legacy.programs;
  await bench.source.query(
    "UPDATE partner_source.programs SET lifecycle_state = 'ended' WHERE program_id = 'p-5'",
  );
  await bench.build([], { env: { LEGACY_CAPACITY: "total" } });
  const { legacy, details } = await bench.published("acme");
  expect(details.has("p-5")).toBe(false);
  expect(legacy.programs).toEqual(before.filter(({ name }) => name !== "Tour p-5"));
});
