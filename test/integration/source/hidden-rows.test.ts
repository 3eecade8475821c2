import { describe, expect, test } from "vitest";
import { forEachTest } from "../../support/lasting.ts";
import { openTripsSource, tripsAsPrograms } from "../../support/trips-source.ts";

const trips = forEachTest(openTripsSource);

/** With somebody who may read the views, and a role to own what lies behind them. */
async function withOwner(run: (reader: string, owner: string) => Promise<void>): Promise<void> {
  const reader = await trips.database.createReader();
  const owner = `${new URL(reader).username}_owner`;
  await trips.database.query(`CREATE ROLE ${owner}`);
  try {
    await run(reader, owner);
  } finally {
    await trips.database.query(`DROP OWNED BY ${owner} CASCADE; DROP ROLE ${owner}`);
  }
}

describe("rows that are hidden", () => {
  test("a security_invoker view is named, and its fix gives the owner's rights back", async () => {
    const reader = await trips.database.createReader();
    await trips.database.query("ALTER VIEW partner_source.programs SET (security_invoker = on)");
    await trips.database.query(
      "GRANT USAGE ON SCHEMA travel TO PUBLIC; GRANT SELECT ON travel.trips TO PUBLIC",
    );
    const found = await trips.problems(reader);
    expect(found).toMatchObject([{ severity: "warning", code: "security_invoker", view: "programs" }]);
    await trips.mend(found);
    expect(await trips.problems(reader)).toEqual([]);
  });

  test("P103 row-level security that applies to the view's owner, also behind another view", async () => {
    await withOwner(async (reader, owner) => {
      await trips.database.query(`
      GRANT USAGE ON SCHEMA travel TO ${owner};
      GRANT SELECT ON travel.trips TO ${owner};
      CREATE VIEW travel.offered AS SELECT * FROM travel.trips;
      ALTER VIEW travel.offered OWNER TO ${owner};
      ALTER TABLE travel.trips ENABLE ROW LEVEL SECURITY;
      CREATE POLICY first_only ON travel.trips TO PUBLIC USING (id = 'T1')`);
      // The table's owner is exempt, and so are views of theirs.
      expect(await trips.problems(reader)).toEqual([]);
      await trips.define("programs", tripsAsPrograms.replace("FROM travel.trips", "FROM travel.offered"));
      await trips.database.query(`GRANT SELECT ON partner_source.programs TO ${new URL(reader).username}`);
      const found = await trips.problems(reader);
      expect(found).toMatchObject([{ severity: "warning", code: "row_security", view: "programs" }]);
      expect(found[0]?.message).toMatch(/row_security = off: .*"trips"/);
      await trips.database.query(`ALTER ROLE ${owner} BYPASSRLS`);
      expect(await trips.problems(reader)).toEqual([]);
    });
  });

  test("P103 row-level security of a table that only a function reads, behind another view and another function", async () => {
    await withOwner(async (reader, owner) => {
      await trips.database.query(`
      GRANT USAGE ON SCHEMA travel TO ${owner};
      GRANT SELECT ON travel.trips TO ${owner};
      CREATE FUNCTION travel.inner_trips() RETURNS SETOF travel.trips LANGUAGE plpgsql STABLE
        AS 'BEGIN RETURN QUERY SELECT * FROM travel.trips; END';
      CREATE FUNCTION travel.all_trips() RETURNS SETOF travel.trips LANGUAGE sql STABLE SECURITY DEFINER
        AS 'SELECT * FROM travel.inner_trips()';
      ALTER FUNCTION travel.all_trips OWNER TO ${owner};
      CREATE VIEW travel.offered AS SELECT * FROM travel.all_trips()`);
      await trips.define("programs", tripsAsPrograms.replace("FROM travel.trips", "FROM travel.offered"));
      await trips.database.query(`GRANT SELECT ON partner_source.programs TO ${new URL(reader).username}`);
      expect(await trips.problems(reader)).toEqual([]);
      await trips.database.query(`
        ALTER TABLE travel.trips ENABLE ROW LEVEL SECURITY;
        CREATE POLICY first_only ON travel.trips TO PUBLIC USING (id = 'T1')`);
      for (const url of [reader, trips.database.url]) {
        const found = await trips.problems(url);
        expect(found).toMatchObject([{ severity: "warning", code: "row_security", view: "programs" }]);
        expect(found[0]?.message).toContain('"trips"');
      }
      // A function that only makes a column.
      const named = tripsAsPrograms.replace(
        "title AS name",
        "(SELECT min(title) FROM travel.all_trips()) AS name",
      );
      await trips.define(
        "programs",
        named.replace("FROM travel.trips", "FROM (VALUES ('acme', 'T1', '10')) AS t (brand, id, seats)"),
      );
      await trips.database.query(`GRANT SELECT ON partner_source.programs TO ${new URL(reader).username}`);
      expect(await trips.problems(reader)).toMatchObject([{ code: "row_security", view: "programs" }]);
      await trips.database.query(`ALTER ROLE ${owner} BYPASSRLS`);
      expect(await trips.problems(reader)).toEqual([]);
    });
  });
});
