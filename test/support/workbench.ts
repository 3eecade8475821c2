import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach } from "vitest";
import { createFileStore } from "../../core/store/file-store/file-store.ts";
import type { RunReport, TenantRun } from "../../schemas/generated/types.ts";
import { isRunReport } from "../../schemas/generated/validators-run-report.ts";
import { validate } from "../../schemas/validate.ts";
import { type CommandOptions, type CommandResult, runCommand } from "./command-line.ts";
import { forAllTests, freshForEachTest } from "./lasting.ts";
import { openPlainSource, type PlainRow } from "./plain-source.ts";
import { createTestDatabase } from "./postgres.ts";
import { publishedSnapshot } from "./published-snapshot.ts";
import { storeTree } from "./store-tree.ts";

export interface BuildResult extends CommandResult {
  readonly report: RunReport;
}

/** Source views as plain tables, an empty `file:` store, and the builds from the one into the other. */
export type Workbench = Awaited<ReturnType<typeof openWorkbench>>;

/** A workbench for all tests of the file. */
export const useWorkbench = (): Workbench => forAllTests(openWorkbench);

/** The same, as new for each test but for these tenants in its source. */
export function freshWorkbench(...tenantIds: readonly string[]) {
  const bench = freshForEachTest(openWorkbench);
  beforeEach(async () => {
    for (const tenant_id of tenantIds) await bench.source.insert("tenants", { tenant_id });
  });
  return bench;
}

export async function openWorkbench() {
  const database = await createTestDatabase({ isEmpty: true });
  const source = await openPlainSource(database.url);
  const storeDirectory = await mkdtemp(join(tmpdir(), "workbench-"));
  const store = createFileStore({ directory: storeDirectory });
  const env = { DATABASE_URL: database.url, STORE_URL: `file:${storeDirectory}` };
  const run = (args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> =>
    runCommand(args, { ...options, env: { ...env, ...options.env } });
  return {
    database,
    source,
    store,
    storeDirectory,
    env,
    run,
    /** `snapshot build --json`, in this process; the report is held against its schema. */
    async build(args: readonly string[] = [], options: CommandOptions = {}): Promise<BuildResult> {
      const result = await run(["snapshot", "build", "--json", ...args], options);
      return { ...result, report: parsedReport(result.stdout) };
    },
    /** Active programs, each with the given fields over a name and a capacity. */
    async insertPrograms(tenantId: string, ...programs: readonly (string | PlainRow)[]) {
      for (const program of programs) {
        const fields = typeof program === "string" ? { program_id: program } : program;
        const defaults = { name: `Tour ${fields.program_id}`, lifecycle_state: "active", capacity_total: 10 };
        await source.insert("programs", { tenant_id: tenantId, ...defaults, ...fields });
      }
    },
    /** So many active programs `p-1`, `p-2`, ... */
    insertMany: (tenantId: string, count: number) =>
      source.query(
        `INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state, capacity_total)
         SELECT $1, 'p-' || n, 'Tour ' || n, 'active', 10 FROM generate_series(1, $2::int) AS n`,
        [tenantId, count],
      ),
    /** Children of one program. */
    async insertRows(view: string, tenantId: string, programId: string, ...rows: readonly PlainRow[]) {
      for (const row of rows) {
        await source.insert(view, { tenant_id: tenantId, program_id: programId, ...row });
      }
    },
    published: (tenantId: string) => publishedSnapshot(store, tenantId),
    tree: () => storeTree(storeDirectory),
    /** Empties the source and the store. */
    async reset() {
      await source.empty();
      await rm(storeDirectory, { recursive: true, force: true });
      await mkdir(storeDirectory);
    },
    async close() {
      await store.close();
      await source.close();
      await database.close();
      await rm(storeDirectory, { recursive: true, force: true });
    },
  };
}

/** The run of one tenant in a report. */
export function tenantRun(report: RunReport, tenantId: string): TenantRun {
  const run = report.tenants.find((candidate) => candidate.tenantId === tenantId);
  if (run === undefined) throw new Error(`${tenantId} is not in the report: ${JSON.stringify(report)}`);
  return run;
}

/** A run report as somebody reads it who knows its schema alone. */
export function parsedReport(text: string): RunReport {
  const result = validate(isRunReport, JSON.parse(text));
  if (!result.valid) throw new Error(`the report does not fit its schema: ${result.violation.message}`);
  return result.document;
}
