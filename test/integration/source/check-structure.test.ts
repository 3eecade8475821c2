import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { seedSource } from "../../../cli/demo/booking/seed-source.ts";
import { structureProblems } from "../../../cli/publish/source/check-structure.ts";
import { contractViews } from "../../../cli/publish/source/contract.ts";
import { readStructure } from "../../../cli/publish/source/read-structure.ts";
import type { SourceProblem } from "../../../cli/publish/source/source-problem.ts";
import { forAllTests } from "../../support/lasting.ts";
import { createTestDatabase } from "../../support/postgres.ts";

/** Each test ends as if it had not been: it runs in a transaction that is rolled back. */
const database = forAllTests(createTestDatabase);
let client: pg.Client;
let reader: string;

beforeAll(async () => {
  reader = new URL(await database.createReader()).username;
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await seedSource(client, { seed: "1", today: "2027-03-15", tenants: 1, programs: 24, replace: false });
});

afterAll(async () => {
  await client.end();
});

beforeEach(async () => {
  await client.query("BEGIN");
});

afterEach(async () => {
  await client.query("ROLLBACK");
});

const check = async (): Promise<readonly SourceProblem[]> => structureProblems(await readStructure(client));

async function checkAsReader(): Promise<readonly SourceProblem[]> {
  await client.query(`SET LOCAL ROLE ${reader}`);
  const problems = structureProblems(await readStructure(client));
  await client.query("RESET ROLE");
  return problems;
}

/** Puts another definition in place of a view, with `change` applied to its list of columns. */
async function redefine(view: string, change: (columns: Record<string, string>) => void): Promise<void> {
  const names = Object.keys(contractViews.find(({ name }) => name === view)?.columns ?? {});
  const columns = Object.fromEntries(names.map((name) => [name, name]));
  change(columns);
  const list = Object.entries(columns).map(([name, expression]) => `${expression} AS ${name}`);
  await client.query(`ALTER VIEW partner_source.${view} RENAME TO original_${view}`);
  await client.query(`ALTER VIEW partner_source.original_${view} SET SCHEMA booking`);
  await client.query(
    `CREATE VIEW partner_source.${view} AS SELECT ${list.join(", ")} FROM booking.original_${view}`,
  );
}

describe("structureProblems", () => {
  test("a missing required view is named with the columns that it needs", async () => {
    await client.query("DROP VIEW partner_source.tenants");
    const problems = await check();
    expect(problems).toMatchObject([{ code: "view_missing", view: "tenants", fix: { kind: "advice" } }]);
    expect(problems[0]?.fix.text).toContain("tenant_id text, name text");
  });

  test("a missing column is named with what to add to the view", async () => {
    await redefine("faq", (columns) => {
      delete columns.answer;
      columns.extra = "question || '!'";
    });
    expect(await check()).toMatchObject([
      {
        code: "column_missing",
        view: "faq",
        column: "answer",
        message: "The column partner_source.faq.answer (text) is missing.",
        fix: { kind: "advice", text: expect.stringContaining("NULL::text AS answer") },
      },
    ]);
  });

  test("types that lose nothing are accepted: domains, enums, uuid and bigint ids, arrays of enums", async () => {
    await client.query("CREATE DOMAIN booking.label AS varchar(200)");
    await client.query("CREATE DOMAIN booking.short_label AS booking.label");
    await client.query("CREATE TYPE booking.tag AS ENUM ('unesco')");
    await client.query("CREATE DOMAIN booking.tags AS booking.tag[]");
    await redefine("programs", (columns) => {
      columns.tenant_id = "gen_random_uuid()";
      columns.program_id = "1::bigint";
      columns.name = "name::booking.short_label";
      columns.lifecycle_state = "'active'::booking.program_state";
      columns.currency = "currency::char(3)";
      columns.capacity_total = "capacity_total::smallint";
      columns.legacy_price = "1::bigint";
      columns.marketing_tags = "ARRAY['unesco']::booking.tags";
      columns.visits = "visits::varchar[]";
    });
    expect(await check()).toEqual([]);
  });

  test("privileges on the contract's columns alone suffice", async () => {
    await client.query(`REVOKE SELECT ON partner_source.faq FROM ${reader}`);
    await client.query(
      `GRANT SELECT (tenant_id, program_id, position, question) ON partner_source.faq TO ${reader}`,
    );
    expect(await checkAsReader()).toMatchObject([{ code: "view_denied", view: "faq" }]);
    await client.query(`GRANT SELECT (answer) ON partner_source.faq TO ${reader}`);
    expect(await checkAsReader()).toEqual([]);
  });
});
