import { expect } from "vitest";
import { emptyView } from "../../cli/operate/source-check/empty-views.ts";
import { contractViews } from "../../cli/publish/source/contract.ts";
import { type CommandOptions, runCommand } from "./command-line.ts";
import { createTestDatabase } from "./postgres.ts";

/** A finding of `source check --json`. */
export type Finding = Readonly<Record<string, unknown>>;

/** Views over the table `travel.trips`, which has two programs of the tenant acme; the others are empty. */
export type TripsSource = Awaited<ReturnType<typeof openTripsSource>>;

export async function openTripsSource() {
  const database = await createTestDatabase({ isEmpty: true });
  await database.query(`
    CREATE SCHEMA partner_source;
    CREATE SCHEMA travel;
    CREATE TABLE travel.trips (brand text, id text, title text, seats text);
    INSERT INTO travel.trips VALUES ('acme', 'T1', 'Coast', '10'), ('acme', 'T2', 'Hills', '12')`);
  for (const view of contractViews) await database.query(emptyView(view));
  const source = {
    database,
    close: () => database.close(),
    /** Puts another query behind a view. */
    async define(view: string, query: string) {
      await database.query(
        `DROP VIEW partner_source.${view}; CREATE VIEW partner_source.${view} AS ${query}`,
      );
    },
    /** `source check`, as the owner unless `url` says otherwise. */
    check: (url = database.url, args: readonly string[] = [], options: CommandOptions = {}) =>
      runCommand(["source", "check", ...args], { env: { DATABASE_URL: url }, ...options }),
    /** What it finds, with an exit status that fits. */
    async problems(url?: string): Promise<readonly Finding[]> {
      const { status, stdout } = await source.check(url, ["--json"]);
      const found: readonly Finding[] = JSON.parse(stdout).problems;
      expect(status).toBe(found.some(({ severity }) => severity === "error") ? 1 : 0);
      return found;
    },
    /** Runs the fixes of SQL as an operator would paste them. */
    async mend(found: readonly Finding[]) {
      for (const { fix } of found) {
        const { kind, text } = fix as { kind: string; text: string };
        expect(kind).toBe("sql");
        await database.query(text);
      }
    },
  };
  await source.define(
    "tenants",
    "SELECT DISTINCT brand AS tenant_id, initcap(brand) AS name FROM travel.trips",
  );
  await source.define("programs", tripsAsPrograms);
  return source;
}

const others = Object.entries(contractViews.find(({ name }) => name === "programs")?.columns ?? {})
  .slice(4)
  .filter(([column]) => column !== "capacity_total")
  .map(([column, kind]) => `NULL::${kind} AS ${column}`);
/** The query behind the view of programs. */
export const tripsAsPrograms = `
  SELECT brand AS tenant_id, id AS program_id, title AS name, 'active' AS lifecycle_state, seats::int AS capacity_total,
         ${others.join(", ")}
    FROM travel.trips`;
