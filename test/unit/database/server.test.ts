import { afterEach, describe, expect, test, vi } from "vitest";
import { connectionString, databaseLabel } from "../../../cli/database/with-database-url.ts";
import { structureProblems } from "../../../cli/publish/source/check-structure.ts";
import { parseDatabaseUrl } from "../../../core/process/database-address.ts";

const asked = (query: string): string => connectionString(`postgres://u:p%23@db:5432/booking${query}`);
const modeOf = (text: string): string | null => new URL(text).searchParams.get("sslmode");

describe("the database for people", () => {
  afterEach(() => void vi.unstubAllEnvs());

  test.each([
    ["postgresql://ada@/booking?host=/run/pg", "booking on /run/pg"],
    ["postgres://ada:s%40t+&@/booking", "booking on localhost"],
    ["postgres://ada:p%23@db.example:5433/booking?sslmode=require", "booking on db.example"],
    ["postgres://%2Frun%2Fpg/booking", "booking on /run/pg"],
    ["socket:///run/pg?db=booking", "booking on /run/pg"],
    ["/run/pg booking", "booking on /run/pg"],
    ["/run/pg", "usual on /run/pg"],
    ["postgres://", "usual on localhost"],
  ])("is what pg makes of %s", (text, label) => {
    vi.stubEnv("PGDATABASE", "usual");
    vi.stubEnv("PGHOST", undefined);
    const databaseUrl = parseDatabaseUrl(text);
    expect(databaseUrl.url).toBe(text);
    const settings = { databaseUrl, databaseUrlFile: undefined, dataDir: "data" };
    expect(databaseLabel(settings)).toBe(label);
  });
});

describe("the connection string", () => {
  test.each(["", "?sslmode=disable", "?sslmode=no-verify", "?sslmode=verify-full", "?application_name=a"])(
    "of %j is left as it is",
    (query) => expect(asked(query)).toBe(`postgres://u:p%23@db:5432/booking${query}`),
  );

  test.each(["allow", "prefer", "require", "verify-ca"])(
    "says of sslmode=%s what the driver makes of it",
    (mode) => {
      const text = asked(`?sslmode=${mode}&options=-c%20search_path%3Da&sslrootcert=/etc/ca.pem`);
      expect(modeOf(text)).toBe("verify-full");
      expect(new URL(text).searchParams.get("options")).toBe("-c search_path=a");
      expect(new URL(text).password).toBe("p%23");
    },
  );

  test("leaves libpq's meaning to whoever asks for it", () => {
    expect(modeOf(asked("?uselibpqcompat=true&sslmode=require"))).toBe("require");
  });

  test("is refused with a mode that is none, and never repeats the password", () => {
    expect(() => asked("?sslmode=required")).toThrow(
      /^DATABASE_URL: sslmode must be one of allow, disable, no-verify, prefer, require, verify-ca, verify-full\.$/,
    );
  });
});

const schema = { role: "generator", exists: false, isUsable: false, tables: 0, relations: [] };

test("a server that cannot hash rows is named with its version, before anything else that may be wrong", () => {
  const [problem, ...others] = structureProblems({ ...schema, serverVersion: 130_022 });
  expect(problem).toMatchObject({ severity: "error", code: "server_too_old", fix: { kind: "advice" } });
  expect(problem?.message).toMatch(/ PostgreSQL 13; 14 or later/);
  expect(others).toEqual([]);
});

test("from PostgreSQL 14 on the views are what counts", () => {
  const codes = structureProblems({ ...schema, serverVersion: 140_000 }).map(({ code }) => code);
  expect(codes).toEqual(["schema_missing"]);
});

test.each([
  [0, "partner-programs source init"],
  [3, "partner-programs source init --skeleton > views.sql"],
])("without views the fix for a database of %i tables is: %s", (tables, text) => {
  const [problem] = structureProblems({ ...schema, tables, serverVersion: 150_000 });
  expect(problem?.fix).toEqual({ kind: "command", text });
});
