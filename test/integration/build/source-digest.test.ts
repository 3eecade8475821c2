import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { textRows } from "../../../cli/database/connect.ts";
import { type ColumnKind, contractViews } from "../../../cli/publish/source/contract.ts";
import { sumsQuery } from "../../../cli/publish/source/program-queries.ts";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { buildWithoutEffect } from "../../support/build-effect.ts";
import { freshWorkbench, tenantRun } from "../../support/workbench.ts";

const acme = parseTenantId("acme");
const bench = freshWorkbench("acme");
let client: pg.Client;

beforeAll(async () => {
  client = new pg.Client({ connectionString: bench.database.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
});

/** All that the database says of the tenant's rows. */
const digest = async (): Promise<string> => JSON.stringify(await textRows(client, sumsQuery(false), [acme]));

/** Two values of a kind that differ. */
const valuesOf: Readonly<Record<ColumnKind, readonly [string, string]>> = {
  text: ["a", "b"],
  int: ["1", "2"],
  numeric: ["1.5", "1.50"],
  date: ["2027-01-01", "2027-01-02"],
  "text[]": ["{a,b}", "{{a,b}}"],
};
const views = contractViews.filter(({ name }) => name !== "tenants");
const columns = views.flatMap(({ name, columns }) =>
  Object.entries(columns)
    .filter(([column]) => column !== "tenant_id")
    .map(([column, kind]) => ({ view: name, column, values: valuesOf[kind] })),
);

describe("the sums of a tenant's programs", () => {
  test.each(columns)("tells a change of $view.$column", async ({ view, column, values }) => {
    await bench.insertPrograms("acme", "p");
    if (view !== "programs") await bench.insertRows(view, "acme", "p", {});
    const digests = new Set<string>();
    for (const value of [null, ...values]) {
      await bench.source.query(
        `UPDATE partner_source.${view} SET ${column} = '${value}'`.replace("'null'", "NULL"),
      );
      digests.add(await digest());
    }
    expect(digests.size).toBe(3);
  });

  test("tells values that change places, a blank from none, and a text from two", async () => {
    const digests: string[] = [];
    for (const [question, answer] of [
      ["a", "b"],
      ["b", "a"],
      ["a", ""],
      ["a", null],
      ["a,b", null],
      ["ab", ""],
    ]) {
      await bench.source.query("DELETE FROM partner_source.faq");
      await bench.insertRows("faq", "acme", "p", { position: 1, question, answer });
      digests.push(await digest());
    }
    expect(new Set(digests).size).toBe(6);
  });

  test("is the same in any order of the rows and whatever the others have", async () => {
    await bench.insertRows(
      "faq",
      "acme",
      "p",
      { position: 1, question: "a" },
      { position: 2, question: "b" },
    );
    const before = await digest();
    await bench.source.query("DELETE FROM partner_source.faq");
    await bench.insertRows(
      "faq",
      "acme",
      "p",
      { position: 2, question: "b" },
      { position: 1, question: "a" },
    );
    await bench.insertRows("faq", "beta", "p", { position: 3, question: "c" });
    expect(await digest()).toBe(before);
  });
});

test("a change that no partner sees publishes nothing, and a later one is published", async () => {
  await bench.insertPrograms("acme", "p", { program_id: "draft", lifecycle_state: "draft" });
  await bench.build();
  await bench.source.update("name = 'Another'", "draft");
  const { report } = await buildWithoutEffect(bench);
  expect(tenantRun(report, "acme")).toMatchObject({ outcome: "unchanged", counts: { notPublishable: 1 } });
  await bench.source.update("name = 'Another'", "p");
  await bench.build();
  expect((await bench.published("acme")).details.get("p")?.name).toBe("Another");
});
