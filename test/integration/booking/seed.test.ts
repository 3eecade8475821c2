import { expect, test } from "vitest";
import { withSourceClient } from "../../../cli/database/source-client.ts";
import { type SeedOptions, type SeedReport, seedSource } from "../../../cli/demo/booking/seed-source.ts";
import { forAllTests } from "../../support/lasting.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

const database = forAllTests(createTestDatabase);
const today = new Date().toISOString().slice(0, 10);
const defaults: SeedOptions = { seed: "1", today, tenants: 5, programs: 24, replace: false };

async function seed(options: Partial<SeedOptions> = {}, url = database.url): Promise<SeedReport> {
  return await withSourceClient({ databaseUrl: url }, (client) =>
    seedSource(client, { ...defaults, ...options }),
  );
}

/** A digest of every column of every table, but for the times at which rows were written. */
async function contents(of: TestDatabase = database): Promise<Record<string, string>> {
  const tables = await of.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'booking'::regnamespace AND relkind = 'r' AND relname NOT LIKE 'schema%' ORDER BY 1",
  );
  const digests: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await of.query<{ digest: string }>(
      `SELECT md5(string_agg((to_jsonb(t) - 'created_at' - 'updated_at')::text, '' ORDER BY to_jsonb(t)::text)) AS digest FROM booking.${name} AS t`,
    );
    digests[name] = row?.digest ?? "empty";
  }
  return digests;
}

test("seedSource: the same seed and date give the same rows, in another database too", async () => {
  await seed();
  const first = await contents();
  await seed({ seed: "2" });
  expect(await contents()).not.toEqual(first);
  await seed();
  expect(await contents()).toEqual(first);

  const other = await createTestDatabase();
  await seed({}, other.url);
  expect(await contents(other)).toEqual(first);
  await other.close();
});
