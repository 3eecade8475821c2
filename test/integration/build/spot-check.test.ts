import { describe, expect, test } from "vitest";
import { parseProgramId, parseTenantId } from "../../../core/ground/ids.ts";
import { lastRunsKey, sourceMemoryKey } from "../../../core/ground/object-key.ts";
import type { RunReport } from "../../../schemas/generated/types.ts";
import { forgeResponse } from "../../support/forge-response.ts";
import { memoryText, writeMemoryText } from "../../support/memory-document.ts";
import { sized } from "../../support/quick-pass.ts";
import { type BuildResult, freshWorkbench, tenantRun } from "../../support/workbench.ts";

const bench = freshWorkbench("acme");
const plain = ["p-1", "p-2", "p-3", "p-4", "p-5", "p-6"];
const list = { kind: "list" } as const;
const legacy = { kind: "legacy" } as const;
const detail = { kind: "detail", programId: parseProgramId("p-2") } as const;

const differencesIn = (report: RunReport): readonly string[] =>
  report.tenants.flatMap(({ tenantId, problems }) =>
    problems.flatMap(({ code, programId, field }) =>
      code === "snapshot_differs" ? [`${tenantId} ${programId} ${field}`] : [],
    ),
  );

const found = ({ status, report }: BuildResult) => [status, report.outcome, differencesIn(report)];
const sound = [0, "unchanged", []];

/**
 * What makes the live snapshot another one than the rows give, although lists, details and manifest pass for
 * sound.
 */
const plants: Readonly<Record<string, readonly [plant: () => Promise<void>, part: string]>> = {
  "an element of an older version in the list": [
    () => forgeResponse(bench.store, "acme", list, (text) => text.replace('Tour p-2"', 'Tour p-zwei"')),
    "list",
  ],
  "two elements swapped": [
    () =>
      forgeResponse(bench.store, "acme", list, (text) =>
        text.replace("Tour p-2", "Tour p-?").replace("Tour p-3", "Tour p-2").replace("Tour p-?", "Tour p-3"),
      ),
    "list",
  ],
  "an element of an older version in the legacy list": [
    () => forgeResponse(bench.store, "acme", legacy, (text) => text.replace('Tour p-2"', 'Tour p-zwei"')),
    "legacy list",
  ],
  "an empty list": [
    () => forgeResponse(bench.store, "acme", list, () => '{"data":[],"meta":{"count":0}}'),
    "list",
  ],
  "an older detail": [
    () => forgeResponse(bench.store, "acme", detail, (text) => text.replace('Tour p-2"', 'Tour p-zwei"')),
    "manifest",
  ],
  "a memory whose sum is that of rows that were never published": [
    async () => {
      const { snapshotId: before } = (await bench.published("acme")).current;
      await bench.source.update("capacity_total = 77", "p-2");
      await bench.build();
      const memory = await memoryText(bench.store, "acme");
      const { snapshotId: after } = (await bench.published("acme")).current;
      await bench.run(["snapshot", "rollback", "--tenant", "acme", "--to", before]);
      await bench.run(["snapshot", "release", "--tenant", "acme"]);
      await writeMemoryText(bench.store, "acme", memory.replace(after, before));
    },
    "manifest",
  ],
};

describe("P224 a run of all finds what no digest gives away", () => {
  test.each(Object.entries(plants))("%s, and mends it in the same run", async (_, [plant, part]) => {
    await bench.insertPrograms("acme", ...plain);
    await bench.build();
    await plant();
    const before = (await bench.published("acme")).current.snapshotId;
    const [status, outcome, differences] = found(await bench.build());
    expect([status, outcome]).toEqual([3, "partial"]);
    expect(differences).toContain(`acme p-2 ${part}`);
    const { current, list: mended, details } = await bench.published("acme");
    expect(current.snapshotId).not.toBe(before);
    expect(mended.data.map(({ name }) => name)).toEqual([...details.values()].map(({ name }) => name));
    expect((await bench.run(["snapshot", "verify"])).status).toBe(0);
    expect(found(await bench.build())).toEqual(sound);
  });

  test("also beside programs that the run publishes", async () => {
    const [plant] = plants["an older detail"] ?? [];
    await bench.insertPrograms("acme", ...plain);
    await bench.build();
    await plant?.();
    await bench.source.update("name = 'Other'", "p-6");
    expect(found(await bench.build())).toEqual([3, "partial", ["acme p-2 manifest"]]);
    expect(found(await bench.build())).toEqual(sound);
  });

  test("and writes the tenant anew at most once a day; afterwards it tells", async () => {
    const [plant] = plants["an older detail"] ?? [];
    await bench.insertPrograms("acme", ...plain);
    await bench.build();
    await plant?.();
    expect((await bench.build()).status).toBe(3);
    await plant?.();
    const before = (await bench.published("acme")).current;
    for (let run = 0; run < 3; run += 1)
      expect(found(await bench.build())).toEqual([3, "partial", ["acme p-2 manifest"]]);
    expect((await bench.published("acme")).current).toEqual(before);
    const nextDay = new Date(Date.now() + 25 * 60 * 60_000);
    expect((await bench.build([], { now: nextDay })).status).toBe(3);
    expect((await bench.published("acme")).current.snapshotId).not.toBe(before.snapshotId);
  });

  test("a tenant on hold, one asked for by name, and a dry run are passed over", async () => {
    const [plant] = plants["an empty list"] ?? [];
    await bench.insertPrograms("acme", ...plain);
    await bench.build();
    await bench.insertPrograms("acme", "p-7");
    await bench.build();
    await plant?.();
    expect(differencesIn((await bench.build(["--tenant", "acme"])).report)).toEqual([]);
    expect(differencesIn((await bench.build(["--dry-run"])).report)).toEqual([]);
    await bench.run(["snapshot", "rollback", "--tenant", "acme"]);
    await plant?.();
    expect(differencesIn((await bench.build()).report)).toEqual([]);
  });
});

test("P224 on a sound store runs find nothing, whatever changes between them and beside them", async () => {
  await bench.source.insert("tenants", { tenant_id: "beta" });
  await bench.insertMany("acme", 30);
  await bench.insertMany("beta", 3);
  await bench.build();
  for (let round = 0; round < sized({ whole: 25, quick: 5 }); round += 1) {
    const id = `p-${1 + (round % 30)}`;
    const change = ["capacity_total = 12", "name = 'Other'", "departure_date = '2027-03-01'", "name = ' '"][
      round % 4
    ];
    const [one, other] = await Promise.all([
      bench.build(),
      bench.build(),
      bench.source.update(change ?? "", id),
    ]);
    expect([...differencesIn(one.report), ...differencesIn(other.report)]).toEqual([]);
  }
});

test("P224 a program whose values change at every reading is passed over", async () => {
  await bench.insertPrograms("acme", ...plain);
  await bench.source.query("ALTER TABLE partner_source.faq RENAME TO faq_rows");
  await bench.source.query(
    `CREATE VIEW partner_source.faq AS SELECT 'acme'::text AS tenant_id, 'p-2'::text AS program_id, 1 AS position,
       'Lucky number?'::text AS question, random()::text AS answer`,
  );
  try {
    for (let run = 0; run < 5; run += 1) {
      const { status, report } = await bench.build();
      expect([status, differencesIn(report)]).toEqual([0, []]);
      expect(tenantRun(report, "acme").counts.programs).toBe(6);
    }
  } finally {
    await bench.source.query(
      "DROP VIEW partner_source.faq; ALTER TABLE partner_source.faq_rows RENAME TO faq",
    );
  }
});

test("P224 without the memory nothing can be said", async () => {
  const [plant] = plants["an older detail"] ?? [];
  await bench.insertPrograms("acme", ...plain);
  await bench.build();
  await plant?.();
  await bench.store.delete([sourceMemoryKey(parseTenantId("acme"))]);
  // Then the build reads everything, and publishes what the rows give.
  expect(found(await bench.build())).toEqual([0, "published", []]);
  const stored = await bench.store.get(lastRunsKey);
  expect(stored.kind).toBe("object");
});
