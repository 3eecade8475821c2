import { afterAll, beforeAll, expect, test } from "vitest";
import { type SourceClient, withSourcePool } from "../../../cli/database/connect.ts";
import { checkedProgram } from "../../../cli/publish/content/checked-program.ts";
import { readElsewhere } from "../../../cli/publish/source/find-programs.ts";
import { type ReadProgram, readProgram, readPrograms } from "../../../cli/publish/source/read-programs.ts";
import { parseTenantId, type TenantId } from "../../../core/ids.ts";
import { cannedLimits, cannedOptions } from "../../support/canned-source.ts";
import { runCommand } from "../../support/command-line.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

let database: TestDatabase;
let tenantIds: readonly TenantId[];

beforeAll(async () => {
  database = await createTestDatabase();
  const seeded = await runCommand(["source", "seed"], { env: { DATABASE_URL: database.url } });
  if (seeded.status !== 0) throw new Error(seeded.stderr);
  const rows = await database.query<{ tenant_id: string }>("SELECT tenant_id FROM partner_source.tenants");
  tenantIds = rows.map(({ tenant_id }) => parseTenantId(tenant_id));
});

afterAll(async () => {
  await database.drop();
});

async function reading<Result>(read: (client: SourceClient) => Promise<Result>): Promise<Result> {
  const { signal } = new AbortController();
  return await withSourcePool({ databaseUrl: database.url, connections: 1, signal }, (pool) =>
    pool.withReading(read),
  );
}

async function allPrograms(tenantId: TenantId): Promise<readonly ReadProgram[]> {
  return await reading(async (client) => {
    const programs: ReadProgram[] = [];
    for await (const batch of readPrograms(client, tenantId, cannedLimits)) programs.push(...batch);
    return programs;
  });
}

function published(read: ReadProgram | undefined): unknown {
  if (read === undefined) return undefined;
  const program = checkedProgram(read, cannedOptions.rules);
  return program.kind === "published" ? program.rendered.detail.toString() : program;
}

test("A program that is read alone is the same as when its whole tenant is read", async () => {
  expect(tenantIds.length).toBeGreaterThan(1);
  for (const tenantId of tenantIds) {
    const all = await allPrograms(tenantId);
    expect(all.length).toBeGreaterThan(10);
    const alone = await reading(async (client) => {
      const found: (ReadProgram | undefined)[] = [];
      for (const { source } of all)
        found.push(await readProgram(client, tenantId, String(source.programId), cannedLimits));
      return found;
    });
    // The order of rows without a position is the database's own, and never shows in what is published.
    expect(alone.map(published)).toEqual(all.map(published));
  }
});

test("A program is read of its own tenant only, and found elsewhere whatever its case", async () => {
  const [first, second] = tenantIds;
  if (first === undefined || second === undefined) throw new Error("too few tenants");
  const [program] = await allPrograms(first);
  const programId = program?.source.programId ?? "";
  await reading(async (client) => {
    expect(await readProgram(client, second, programId, cannedLimits)).toBeUndefined();
    expect(await readElsewhere(client, ` ${programId.toLowerCase()} `)).toEqual([
      { tenantId: first, programId },
    ]);
    expect(await readElsewhere(client, "'; DROP TABLE x; --")).toEqual([]);
  });
});
