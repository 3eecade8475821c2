import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { withSourcePool } from "../../../cli/database/connect.ts";
import { databaseRows } from "../../../cli/publish/source/tenant-rows.ts";
import { buildTenant } from "../../../cli/publish/tenant/build-tenant.ts";
import { parseTenantId } from "../../../core/ids.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";
import { cannedLimits, cannedOptions } from "../../support/canned-source.ts";
import { openWorkbench, type Workbench } from "../../support/workbench.ts";

const acme = parseTenantId("acme");
const signal = new AbortController().signal;
let bench: Workbench;

beforeAll(async () => {
  bench = await openWorkbench();
});

afterAll(async () => {
  await bench.close();
});

beforeEach(async () => {
  await bench.reset();
  await bench.source.insert("tenants", { tenant_id: "acme" });
  await bench.insertMany("acme", 10);
  await bench.source.query("UPDATE partner_source.programs SET description = 'About ' || name");
});

/** `hinted`: the only program that is said to have changed. */
async function build(hinted?: string): Promise<TenantRun> {
  const hintedPrograms = hinted === undefined ? undefined : new Set([hinted]);
  return await withSourcePool({ databaseUrl: bench.database.url, connections: 1, signal }, (pool) =>
    buildTenant(
      acme,
      { ...cannedOptions, allowEmptied: false },
      {
        withRows: databaseRows(pool, cannedLimits),
        store: bench.store,
        beforeFirstWrite: async () => {},
        now: () => new Date(),
        randomBytes,
        onProgress: () => {},
        hintedPrograms,
        signal,
      },
    ),
  );
}

async function empty(id: string): Promise<void> {
  await bench.source.query("UPDATE partner_source.programs SET description = NULL WHERE program_id = $1", [
    id,
  ]);
}

test("P141 builds of single programs are refused from the one on that empties the field for most of them", async () => {
  await build();
  const outcomes: string[] = [];
  for (const at of [1, 2, 3, 4, 5, 6, 7, 8]) {
    await empty(`p-${at}`);
    outcomes.push((await build(`p-${at}`)).outcome);
  }
  expect(outcomes).toEqual([...Array(5).fill("published"), ...Array(3).fill("refused")]);
  expect((await build()).failure).toMatchObject({
    code: "field_guard",
    message: expect.stringContaining("description (empty for 8 of 10: p-1, p-2, p-3, ...)"),
  });
});

test("P141 a reading of the whole source that publishes or finds nothing new begins the count anew", async () => {
  await build();
  for (const at of [1, 2, 3, 4, 5]) {
    await empty(`p-${at}`);
    expect((await build(`p-${at}`)).outcome).toBe("published");
  }
  // A program that has its description again no longer counts, whoever lost it.
  await bench.source.query("UPDATE partner_source.programs SET description = 'x' WHERE program_id = 'p-1'");
  expect((await build("p-1")).outcome).toBe("published");
  await empty("p-6");
  expect((await build("p-6")).outcome).toBe("published");
  expect((await build()).outcome).toBe("unchanged");
  await empty("p-7");
  expect((await build("p-7")).outcome).toBe("published");
  await empty("p-8");
  expect((await build("p-8")).outcome).toBe("published");
  await empty("p-9");
  expect((await build("p-9")).outcome).toBe("refused");
});

test("P141 builds count together where the live list was damaged meanwhile, and everything is read again", async () => {
  await build();
  for (const at of [1, 2, 3, 4, 5]) {
    await empty(`p-${at}`);
    expect((await build(`p-${at}`)).outcome).toBe("published");
  }
  const { manifest } = await bench.published("acme");
  await writeFile(join(bench.storeDirectory, manifest.list.key), "[]");
  // Nobody has said so yet, but a build of p-7 finds the damage, and reads p-6, too.
  await empty("p-6");
  await bench.source.query("UPDATE partner_source.programs SET name = 'New' WHERE program_id = 'p-7'");
  expect((await build("p-7")).failure).toMatchObject({
    code: "field_guard",
    message: expect.stringContaining("description (empty for 6 of 10: p-1, p-2, p-3, ...)"),
  });
  // The refused build remembers what was lost before it.
  await bench.source.query("UPDATE partner_source.programs SET name = 'Newer' WHERE program_id = 'p-7'");
  expect((await build("p-7")).outcome).toBe("refused");
});

test("P141 a program that is withdrawn or that changes otherwise is refused by no count", async () => {
  await build();
  for (const at of [1, 2, 3, 4, 5]) {
    await empty(`p-${at}`);
    await build(`p-${at}`);
  }
  await bench.source.query(
    "UPDATE partner_source.programs SET lifecycle_state = 'ended' WHERE program_id = 'p-10'",
  );
  expect((await build("p-10")).outcome).toBe("published");
  await bench.source.query("UPDATE partner_source.programs SET name = 'New' WHERE program_id = 'p-1'");
  expect((await build("p-1")).outcome).toBe("published");
});
