import { beforeEach, expect, test } from "vitest";
import { type SourceClient, withSourcePool } from "../../../cli/database/connect.ts";
import { type ReadProgram, readPrograms, readSums } from "../../../cli/publish/source/read-programs.ts";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { cannedLimits } from "../../support/canned-source.ts";
import { freshWorkbench } from "../../support/workbench.ts";

const acme = parseTenantId("acme");
const ids = ["P1", "P2"];
const bench = freshWorkbench();

beforeEach(async () => {
  for (const program_id of ids) {
    await bench.source.insert("programs", { tenant_id: "acme", program_id, capacity_total: 12 });
    await bench.source.insert("hotel_stays", { tenant_id: "acme", program_id, position: 1, star_level: 4 });
  }
});

/** What a build of one connection reads of the tenant, in a transaction of its own. */
async function read(client: SourceClient): Promise<readonly ReadProgram[]> {
  await readSums(client, acme);
  const programs: ReadProgram[] = [];
  for await (const batch of readPrograms(client, acme, cannedLimits, { only: ids })) programs.push(...batch);
  return programs;
}

function onOneConnection<Result>(
  run: (
    withReading: <Answer>(ask: (client: SourceClient) => Promise<Answer>) => Promise<Answer>,
  ) => Promise<Result>,
): Promise<Result> {
  const { signal } = new AbortController();
  return withSourcePool({ databaseUrl: bench.database.url, connections: 1, signal }, (pool) =>
    run((ask) => pool.withReading(ask)),
  );
}

test("the server plans each query of a small tenant once, however often it is read", async () => {
  const statements = await onOneConnection(async (withReading) => {
    for (let build = 0; build < 3; build += 1) await withReading(read);
    return await withReading((client) =>
      client.query("SELECT generic_plans + custom_plans AS runs FROM pg_prepared_statements"),
    );
  });
  // The sums and the programs.
  expect(statements.rows).toEqual([{ runs: "3" }, { runs: "3" }]);
});

test("a column that gets another type between two readings is read in the new one", async () => {
  await onOneConnection(async (withReading) => {
    const before = await withReading(read);
    await bench.source.query(`
      ALTER TABLE partner_source.programs ALTER capacity_total TYPE bigint, ALTER name TYPE varchar(200);
      ALTER TABLE partner_source.hotel_stays ALTER star_level TYPE smallint`);
    try {
      expect(await withReading(read)).toEqual(before);
    } finally {
      await bench.source.query(`
        ALTER TABLE partner_source.programs ALTER capacity_total TYPE int, ALTER name TYPE text;
        ALTER TABLE partner_source.hotel_stays ALTER star_level TYPE int`);
    }
  });
});
