import { randomBytes } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { withSourcePool } from "../../../cli/database/connect.ts";
import { databaseRows } from "../../../cli/publish/source/tenant-rows.ts";
import { buildTenant } from "../../../cli/publish/tenant/build-tenant.ts";
import { parseTenantId } from "../../../core/ids.ts";
import { currentKey, sourceMemoryKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { cannedOptions } from "../../support/canned-source.ts";
import { openWorkbench, tenantRun, type Workbench } from "../../support/workbench.ts";

const acme = parseTenantId("acme");
let bench: Workbench;

beforeAll(async () => {
  bench = await openWorkbench();
});

afterAll(async () => {
  await bench.close();
});

beforeEach(async () => {
  await bench.reset();
  await bench.source.insert("tenants", { tenant_id: "acme", name: "Acme Tours" });
  await bench.insertMany("acme", 12);
  await bench.build();
});

async function rename(): Promise<void> {
  await bench.source.query("UPDATE partner_source.programs SET name = 'New' WHERE program_id = 'p-1'");
}

test("a memory that cannot be written fails nothing, and is told", async () => {
  await rename();
  const path = `${bench.storeDirectory}/${sourceMemoryKey(acme)}`;
  await rm(path);
  await mkdir(`${path}/in-the-way`, { recursive: true });
  const { status, report } = await bench.build();
  expect(status).toBe(0);
  expect(tenantRun(report, "acme")).toMatchObject({
    outcome: "published",
    problemCounts: { memory_unwritten: 1 },
  });
  expect((await bench.published("acme")).details.get("p-1")?.name).toBe("New");
});

test("a memory for which the disk has no room fails nothing, and is told", async () => {
  await bench.source.query(
    `INSERT INTO partner_source.programs (tenant_id, program_id, lifecycle_state)
     SELECT 'acme', 'draft-' || n, 'draft' FROM generate_series(1, 16000) AS n`,
  );
  await rename();
  const store: ObjectStore = {
    ...bench.store,
    async put(key, ...rest) {
      // From now on nothing new can be spooled.
      if (key === currentKey(acme)) vi.stubEnv("TMPDIR", `${bench.storeDirectory}/no-such-folder`);
      return await bench.store.put(key, ...rest);
    },
  };
  const { signal } = new AbortController();
  const outside = {
    beforeFirstWrite: async () => {},
    now: () => new Date(),
    randomBytes,
    onProgress: () => {},
  };
  const databaseUrl = bench.database.url;
  const run = await withSourcePool({ databaseUrl, connections: 1, signal }, (pool) =>
    buildTenant(acme, cannedOptions, { ...outside, withRows: databaseRows(pool), store, signal }),
  ).finally(() => vi.unstubAllEnvs());
  expect(run).toMatchObject({ outcome: "published", failure: null, problemCounts: { memory_unwritten: 1 } });
  expect((await bench.published("acme")).details.get("p-1")?.name).toBe("New");
});
