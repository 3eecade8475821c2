import { beforeAll, describe, expect, test } from "vitest";
import { viewsSkeleton } from "../../../cli/operate/source-check/empty-views.ts";
import { dateForms, howToTellUtc } from "../../../cli/publish/source/contract.ts";
import { runCommand } from "../../support/command-line.ts";
import { forAllTests } from "../../support/lasting.ts";
import { page } from "../../support/markdown.ts";
import { createTestDatabase } from "../../support/postgres.ts";

const database = forAllTests(() => createTestDatabase({ isEmpty: true }));

/** Local times around midnight, on days when clocks change among them, and the day of each. */
const localTimes = ["2027-03-10", "2027-04-04", "2027-09-26", "2027-03-14", "2027-11-07"].flatMap((day) => {
  const [before, ...after] = ["23:59:59.999999", "00:00:00", "00:30:00"].map((time) => `${day} ${time}`);
  return [before, ...after].map((time) => ({ time, day }));
});

/** Where tours begin: on both sides of Greenwich, as far from it as zones are. */
const zones = ["Pacific/Auckland", "America/Los_Angeles", "Pacific/Kiritimati", "Europe/Vienna"];
const sessions = ["UTC", "Pacific/Auckland", "America/Los_Angeles", "Europe/Vienna"];

beforeAll(async () => {
  await database.query(`
    CREATE TABLE departures (zone text, day text, "localTime" timestamp, utc timestamp, timestamptz timestamptz);
    CREATE SCHEMA partner_source`);
  for (const zone of zones) {
    for (const { time, day } of localTimes) {
      const instant = `($3::timestamp AT TIME ZONE $1)`;
      await database.query(
        `INSERT INTO departures VALUES ($1, $2, $3::timestamp, ${instant} AT TIME ZONE 'UTC', ${instant})`,
        [zone, day, time],
      );
    }
  }
});

/** What `source check` advises for a departure date of that type. */
async function advised(type: string): Promise<string> {
  await database.query(`
    DROP VIEW IF EXISTS partner_source.programs;
    CREATE VIEW partner_source.programs AS SELECT NULL::${type} AS departure_date`);
  const { stdout } = await runCommand(["source", "check", "--json"], { env: { DATABASE_URL: database.url } });
  const problems: readonly { column: string; fix: { text: string } }[] = JSON.parse(stdout).problems;
  const texts = problems.flatMap(({ column, fix }) => (column === "departure_date" ? [fix.text] : []));
  expect(texts).toHaveLength(1);
  return texts.join();
}

describe("D131 the day of a time", () => {
  test.each(sessions)("is the local one by each form, also in a session of %s", async (session) => {
    await database.query(`SET timezone = '${session}'`);
    const forms = Object.entries(dateForms).map(([column, form]) => {
      const expression = form.replace("'your/Zone'", "zone").replace("value", `"${column}"`);
      return `(${expression})::text IS DISTINCT FROM day AS "${column}"`;
    });
    const rows = await database.query(`SELECT ${forms.join(", ")} FROM departures`);
    expect(rows).toHaveLength(zones.length * localTimes.length);
    const right = Object.fromEntries(Object.keys(dateForms).map((column) => [column, false]));
    expect(rows.filter((row) => JSON.stringify(row) !== JSON.stringify(right))).toEqual([]);
  });

  test("a timestamp is told both forms and how to tell, and never the one for instants", async () => {
    const text = await advised("timestamp(6)");
    for (const part of [dateForms.localTime, dateForms.utc, howToTellUtc]) expect(text).toContain(part);
    expect(text).not.toContain(dateForms.timestamptz);
  });

  test("an instant is told the form for instants alone, and a text no zone", async () => {
    const text = await advised("timestamptz");
    expect(text).toContain(dateForms.timestamptz);
    expect(text).not.toContain(dateForms.utc);
    expect(await advised("text")).toContain(`(${dateForms.localTime})`);
  });

  test.each([
    ["the skeleton", viewsSkeleton],
    ["first day", () => page("docs/first-day.md").text],
    ["the cookbook", () => page("docs/cookbook.md").text],
  ])("%s says the same", (_, text) => {
    const said = text().replaceAll(/\s*\n(-- )?\s*/g, " ");
    for (const form of Object.values(dateForms)) expect(said).toContain(form);
    expect(said).toContain(howToTellUtc);
  });
});
