import { randomBytes } from "node:crypto";
import { join } from "node:path";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { renderedProgram } from "../../../cli/publish/content/checked-program.ts";
import type { ProgramSource } from "../../../cli/publish/public-program/program-source.ts";
import { publicProgram, terminalStatusTest } from "../../../cli/publish/public-program/public-program.ts";
import { sourceViews } from "../../../cli/publish/source/contract.ts";
import { defaultTerminalStatuses } from "../../../core/process/settings.ts";
import { createFileStore } from "../../../core/store/file-store/file-store.ts";
import { folderForAllTests } from "../../support/lasting.ts";
import { openPlainSource, type PlainSource } from "../../support/plain-source.ts";
import { databaseUrl, onServer } from "../../support/postgres.ts";
import { programSource } from "../../support/program-source.ts";
import { anyProgramSource } from "../../support/program-source-arbitrary.ts";
import { publishedSnapshot } from "../../support/published-snapshot.ts";
import { sized } from "../../support/quick-pass.ts";
import { runCli } from "../../support/run-cli.ts";
import { tenantRun, useWorkbench } from "../../support/workbench.ts";

const bench = useWorkbench();

/** Few enrollments: each is a row. */
const fewEnrollments = anyProgramSource.map((source) => ({
  ...source,
  enrollments: source.enrollments.map(([role, status, count]) => [role, status, 1 + (count % 3)] as const),
}));

function sources(count: number): fc.Arbitrary<ProgramSource[]> {
  return fc.uniqueArray(fewEnrollments, {
    selector: ({ programId }) => programId,
    minLength: count,
    maxLength: count,
  });
}

test("the database between rows and bytes adds nothing, loses nothing and changes nothing, whatever the rows hold", async () => {
  const rules = { isTerminalStatus: terminalStatusTest(defaultTerminalStatuses) };
  let publishedCount = 0;
  await fc.assert(
    fc.asyncProperty(sources(12), async (programs) => {
      await bench.reset();
      await bench.source.insert("tenants", { tenant_id: "acme" });
      for (const program of programs) await insertSource(bench.source, "acme", program);
      const { status, report } = await bench.build(["--on-invalid", "skip"]);
      expect(status).toBe(0);
      const { bytes, list } = await bench.published("acme");
      const expected = new Map<string, string>();
      for (const program of programs) {
        const mapped = publicProgram(program, rules);
        if (mapped.kind !== "published") continue;
        expected.set(mapped.programId, renderedProgram(mapped, "object").detail.toString());
      }
      for (const [id, detail] of expected) expect(bytes.get(id)).toBe(detail);
      expect(list.meta.count).toBe(expected.size);
      expect(bytes.size).toBe(expected.size + 2);
      expect(tenantRun(report, "acme").counts.programs).toBe(expected.size);
      publishedCount += expected.size;
    }),
    { numRuns: sized({ whole: 8, quick: 3 }) },
  );
  expect(publishedCount).toBeGreaterThan(sized({ whole: 20, quick: 5 }));
});

const scratch = folderForAllTests();

/** A database of its own kind, filled in the given order, built by a process of the given environment. */
async function bytesOf(place: {
  readonly name: string;
  readonly create: string;
  readonly settings: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly programs: readonly ProgramSource[];
}): Promise<ReadonlyMap<string, string>> {
  const server = inject("postgresUrl");
  const name = `test_bytes_${randomBytes(6).toString("hex")}`;
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE template0 ${place.create}`);
  const url = databaseUrl(server, name);
  let source: PlainSource | undefined;
  try {
    for (const setting of place.settings) await onServer(server, `ALTER DATABASE ${name} SET ${setting}`);
    source = await openPlainSource(url);
    await source.query("SET datestyle = 'ISO, YMD'");
    await source.insert("tenants", { tenant_id: "acme" });
    for (const program of place.programs) await insertSource(source, "acme", program);
    const directory = join(scratch, place.name);
    const env = { ...place.env, DATABASE_URL: url, STORE_URL: `file:${directory}` };
    const { status, stdout, stderr } = await runCli(["snapshot", "build", "--on-invalid", "skip"], { env });
    if (status !== 0) throw new Error(`${stdout}${stderr}`);
    return (await publishedSnapshot(createFileStore({ directory }), "acme")).bytes;
  } finally {
    await source?.close();
    await onServer(server, `DROP DATABASE ${name} WITH (FORCE)`);
  }
}

test("D10 the same source gives the same bytes for any order of rows, in every time zone, DateStyle, collation and locale of database and process", async () => {
  const programs = fc.sample(sources(60), { numRuns: 1, seed: 20_261_121 })[0] ?? [];
  // Dates and rows that tie in every way but one, and ids that collations order differently.
  const tied = ["a", "B", "c", "D", "a-b", "a.b", "ab", "a~"].map((programId, at) => ({
    ...programSource(),
    programId: `tie${programId}`,
    name: `Tie ${programId}`,
    lifecycleState: "active",
    departureDate: at % 2 === 0 ? "2027-03-28" : null,
    returnDate: "2027-10-31",
  }));
  const all = [...programs, ...tied];
  const places = [
    {
      name: "one",
      create: "LOCALE_PROVIDER icu ICU_LOCALE 'tr-TR' LOCALE 'C' ENCODING 'UTF8'",
      settings: ["timezone = 'Pacific/Kiritimati'", "datestyle = 'German, DMY'", "lc_numeric = 'C'"],
      env: { TZ: "Pacific/Kiritimati", LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8" },
      programs: all,
    },
    {
      name: "other",
      create: "LOCALE 'C' ENCODING 'UTF8'",
      settings: ["timezone = 'America/Los_Angeles'", "datestyle = 'SQL, MDY'", "extra_float_digits = -15"],
      env: { TZ: "America/Los_Angeles", LC_ALL: "C" },
      programs: [...all].reverse(),
    },
  ];
  const [one, other] = await Promise.all(places.map(bytesOf));
  expect(one?.size).toBeGreaterThan(20);
  expect([...(other ?? [])]).toEqual([...(one ?? [])]);
});

/** Inserts the rows of a program into all views, the children at positions in their order. */
async function insertSource(source: PlainSource, tenant_id: string, program: ProgramSource): Promise<void> {
  const key = { tenant_id, program_id: program.programId };
  const inCamelCase = (name: string): string =>
    name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  for (const [view, { columns }] of Object.entries(sourceViews)) {
    if (view === "tenants") continue;
    const names = columns.map(([name]) => name).filter((name) => name !== "position");
    const rows = rowsOf(program, view, names.map(inCamelCase), inCamelCase(view));
    const isOrdered = names.length < columns.length;
    const whole = rows.map((cells, position) => ({
      ...key,
      ...(isOrdered ? { position } : {}),
      ...Object.fromEntries(names.map((name, at) => [name, cells[at]])),
    }));
    await source.insert(view, ...whole);
  }
}

/** The cells of the rows that a program has in a view. */
function rowsOf(
  program: ProgramSource,
  view: string,
  fields: readonly string[],
  part: string,
): readonly (readonly unknown[])[] {
  const parts = program as unknown as Readonly<Record<string, unknown>>;
  if (view === "programs") return [fields.map((field) => parts[field])];
  // Equal enrollments are counted.
  if (view === "enrollments")
    return program.enrollments.flatMap(([role, status, count]) =>
      Array.from({ length: count }, () => [status, role]),
    );
  return parts[part] as readonly (readonly unknown[])[];
}
