import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openTripsSource, type TripsSource, tripsAsPrograms } from "../../support/trips-source.ts";

let trips: TripsSource;

beforeEach(async () => {
  trips = await openTripsSource();
});

afterEach(async () => {
  await trips.database.drop();
});

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

  test("row-level security that applies to the role, through a security_invoker view", async () => {
    const reader = await trips.database.createReader();
    await trips.database.query("ALTER VIEW partner_source.programs SET (security_invoker = true)");
    await trips.database.query(
      "GRANT USAGE ON SCHEMA travel TO PUBLIC; GRANT SELECT ON travel.trips TO PUBLIC",
    );
    await trips.database.query("ALTER TABLE travel.trips ENABLE ROW LEVEL SECURITY");
    const found = await trips.problems(reader);
    expect(found.map(({ code }) => code)).toEqual(["no_programs", "security_invoker", "row_security"]);
    expect(found[2]?.message).toMatch(/, without an error \(it sees 0 rows\)\.$/);
    await trips.mend(found.filter(({ code }) => code === "row_security"));
    expect((await trips.problems(reader)).map(({ code }) => code)).toEqual(["security_invoker"]);
  });

  test("P104 row-level security that applies to the view's owner, also behind another view, with the rows that it hides", async () => {
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
      expect(found[0]?.message).toContain(`Row-level security of travel.trips applies to the role ${owner}`);
      // Neither exempt nor a member of the owner: only the estimate can be known, once there is one.
      expect(found).toMatchObject([{ count: null }]);
      await trips.database.query("ANALYZE travel.trips");
      expect((await trips.problems(reader))[0]?.message).toMatch(
        /, without an error \(the table has about 2 rows\)\.$/,
      );
      const [counted] = await trips.problems();
      expect(counted).toMatchObject({ code: "row_security", count: 1 });
      expect(counted?.message).toMatch(/, without an error: 1 row of 2 rows\.$/);
      await trips.mend(found);
      expect(await trips.problems(reader)).toEqual([]);
    });
  });

  test("P104 row-level security of a table that only a function reads, behind another view and another function", async () => {
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

  test("row-level security that the owner is forced to obey", async () => {
    await withOwner(async (reader, owner) => {
      await trips.database.query(`
      GRANT USAGE ON SCHEMA travel, partner_source TO ${owner};
      ALTER TABLE travel.trips OWNER TO ${owner};
      ALTER VIEW partner_source.programs OWNER TO ${owner};
      ALTER TABLE travel.trips ENABLE ROW LEVEL SECURITY`);
      expect(await trips.problems(reader)).toEqual([]);
      await trips.database.query("ALTER TABLE travel.trips FORCE ROW LEVEL SECURITY");
      expect((await trips.problems(reader)).map(({ code }) => code)).toEqual(["no_programs", "row_security"]);
    });
  });

  test("names the table whole, whatever the search_path of the connected role", async () => {
    await withOwner(async (reader, owner) => {
      await trips.database.query(`
      GRANT USAGE ON SCHEMA travel, partner_source TO ${owner};
      GRANT SELECT ON travel.trips TO ${owner};
      GRANT USAGE ON SCHEMA travel TO ${new URL(reader).username};
      ALTER VIEW partner_source.programs OWNER TO ${owner};
      ALTER TABLE travel.trips ENABLE ROW LEVEL SECURITY;
      ALTER ROLE ${new URL(reader).username} SET search_path = travel, partner_source`);
      const hidden = (await trips.problems(reader)).filter(({ code }) => code === "row_security");
      expect(hidden[0]?.message).toContain("Row-level security of travel.trips applies");
      await trips.mend(hidden);
      expect(await trips.problems(reader)).toEqual([]);
    });
  });

  test("P104 of a restrictive policy no further policy is said to help", async () => {
    await withOwner(async (reader, owner) => {
      await trips.database.query(`
      GRANT USAGE ON SCHEMA travel, partner_source TO ${owner};
      GRANT SELECT ON travel.trips TO ${owner};
      ALTER VIEW partner_source.programs OWNER TO ${owner};
      ALTER TABLE travel.trips ENABLE ROW LEVEL SECURITY;
      CREATE POLICY everything ON travel.trips USING (true);
      CREATE POLICY elsewhere ON travel.trips AS RESTRICTIVE TO pg_monitor USING (false)`);
      expect(await trips.problems(reader)).toEqual([]);
      await trips.database.query("CREATE POLICY first_only ON travel.trips AS RESTRICTIVE USING (id = 'T1')");
      const [found] = await trips.problems(reader);
      expect(found).toMatchObject({ code: "row_security", fix: { kind: "advice" } });
      expect(found?.fix).toMatchObject({ text: expect.stringContaining('"first_only" is restrictive') });
      await trips.database.query(`ALTER ROLE ${owner} BYPASSRLS`);
      expect(await trips.problems(reader)).toEqual([]);
    });
  });
});
