import { randomBytes } from "node:crypto";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { viewsSkeleton } from "../../../cli/operate/source-check/empty-views.ts";
import { freePort } from "../../support/free-port.ts";
import { folderForAllTests, forAllTests } from "../../support/lasting.ts";
import { codeBlocks, page, projectRoot } from "../../support/markdown.ts";
import { createTestDatabase } from "../../support/postgres.ts";
import { runToEnd } from "../../support/run-to-end.ts";

const directory = folderForAllTests();
const database = forAllTests(() => createTestDatabase({ isEmpty: true }));
const role = `first_day_${randomBytes(6).toString("hex")}`;
const { text } = page("docs/first-day.md");

/** What a company puts into the skeleton: its table in place of the stand-ins. */
function filledIn(skeleton: string): string {
  const fill = (sql: string, view: string, columns: Readonly<Record<string, string>>): string => {
    const at = sql.indexOf(`CREATE VIEW partner_source.${view} AS`);
    const named = Object.entries(columns).reduce(
      (rest, [column, value]) =>
        rest.replace(new RegExp(`NULL::[a-z[\\]]+ AS ${column}\\b`), `${value} AS ${column}`),
      sql.slice(at),
    );
    return sql.slice(0, at) + named.replace("  -- FROM your_table\n  WHERE false;", "  FROM tours;");
  };
  const tenant_id = "'alpine-walks'::text";
  const program = {
    name: "title",
    lifecycle_state: "'active'::text",
    legacy_price: "price",
    currency: "'EUR'::text",
  };
  const day = "(starts_at AT TIME ZONE 'Europe/Vienna')::date";
  const programs = fill(skeleton, "programs", {
    tenant_id,
    program_id: "id",
    ...program,
    departure_date: day,
  });
  return fill(programs, "tenants", { tenant_id, name: "'Alpine Walks'::text" });
}

/** The commands of the page, as they stand there but for the names of what only this test has. */
async function script(): Promise<string> {
  const generator = new URL(database.url);
  [generator.username, generator.password] = [role, "change-me"];
  const names: readonly (readonly [onPage: string, here: string])[] = [
    ["postgres://owner@db.internal/booking", database.url],
    ["postgres://generator:change-me@db.internal/booking", generator.href],
    ["s3://my-bucket/partner-programs", `file:${directory}/store`],
    ["generator=generator", `generator=${role}`],
    ["ROLE generator", `ROLE ${role}`],
    ["127.0.0.1:8080", `127.0.0.1:${await freePort()}`],
  ];
  const blocks = codeBlocks(text).filter(({ mark }) => mark !== "example: install");
  const commands = blocks.map(({ language, code }) => {
    if (language === "sql") return `psql -qX -v ON_ERROR_STOP=1 "$OWNERS_DATABASE_URL" <<'SQL'\n${code}SQL\n`;
    const isSkeleton = code.includes("--skeleton > views.sql");
    return isSkeleton ? `${code}cmp views.sql skeleton.sql\ncp filled-in.sql views.sql\n` : code;
  });
  const whole = names.reduce((rest, [onPage, here]) => {
    expect(rest, "the page says it").toContain(onPage);
    return rest.replaceAll(onPage, here);
  }, commands.join("\n"));
  // `-u`: a variable that no step sets ends the script.
  const port = /127\.0\.0\.1:(\d+)\/v1/.exec(whole)?.[1];
  return `set -eu\nexport PORT=${port} ADMIN_PORT=off\ntrap 'kill $(jobs -p)' EXIT\n${whole}`;
}

beforeAll(async () => {
  await database.query(`
    CREATE TABLE tours (id text, title text, starts_at timestamptz, price numeric);
    INSERT INTO tours VALUES ('high-route', 'High route', now() + interval '60 days', 1290.5)`);
  await writeFile(join(directory, "skeleton.sql"), viewsSkeleton());
  await writeFile(join(directory, "filled-in.sql"), filledIn(viewsSkeleton()));
  // What an installation puts on the path.
  for (const [name, main] of [
    ["partner-programs", "cli"],
    ["partner-programs-gateway", "gateway"],
  ]) {
    const program = `#!/bin/sh\nexec "${process.execPath}" "${projectRoot}/dist/${main}/main.js" "$@"\n`;
    await writeFile(join(directory, name ?? ""), program);
    await chmod(join(directory, name ?? ""), 0o755);
  }
});

afterAll(async () => {
  await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
});

test("D134 the page leads from top to bottom to a partner's first answer, in a shell that sets no variable of its own", async () => {
  const env = { PATH: `${directory}:${process.env.PATH}`, HOME: directory };
  const { status, output, stdout } = await runToEnd("bash", ["-c", await script()], env, directory);
  expect([status, output.includes("unbound variable")], output).toEqual([0, false]);
  const body = stdout.slice(stdout.lastIndexOf('{"data":'));
  expect(body).toContain('"id":"high-route"');
  expect(stdout).toContain("The source keeps the contract");
});
