import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach } from "vitest";
import { createFileStore } from "../../core/store/file-store/file-store.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";
import type { RunReport, TenantRun } from "../../schemas/generated/types.ts";
import { isRunReport } from "../../schemas/generated/validators-run-report.ts";
import { validate } from "../../schemas/validate.ts";
import { type CommandOptions, type CommandResult, runCommand } from "./command-line.ts";
import { forAllTests, freshForEachTest } from "./lasting.ts";
import { openPlainSource, type PlainRow, type PlainSource } from "./plain-source.ts";
import { createTestDatabase, type TestDatabase } from "./postgres.ts";
import { type PublishedSnapshot, publishedSnapshot } from "./published-snapshot.ts";
import { type StoreTree, storeTree } from "./store-tree.ts";

export interface BuildResult extends CommandResult {
  readonly report: RunReport;
}

/** Source views as plain tables, an empty `file:` store, and the builds from the one into the other. */
export interface Workbench {
  readonly database: TestDatabase;
  readonly source: PlainSource;
  readonly store: ObjectStore;
  readonly storeDirectory: string;
  readonly env: Readonly<Record<string, string>>;
  /** `snapshot build --json`, in this process; the report is held against its schema. */
  build(args?: readonly string[], options?: CommandOptions): Promise<BuildResult>;
  run(args: readonly string[], options?: CommandOptions): Promise<CommandResult>;
  /** Active programs, each with the given fields over a name and a capacity. */
  insertPrograms(tenantId: string, ...programs: readonly (string | PlainRow)[]): Promise<void>;
  /** So many active programs `p-1`, `p-2`, ... */
  insertMany(tenantId: string, count: number): Promise<void>;
  /** Children of one program. */
  insertRows(view: string, tenantId: string, programId: string, ...rows: readonly PlainRow[]): Promise<void>;
  published(tenantId: string): Promise<PublishedSnapshot>;
  tree(): Promise<StoreTree>;
  /** Empties the source and the store. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** A workbench for all tests of the file. */
export const useWorkbench = (): Workbench => forAllTests(openWorkbench);

/** The same, as new for each test but for these tenants in its source. */
export function freshWorkbench(...tenantIds: readonly string[]): Workbench {
  const bench = freshForEachTest(openWorkbench);
  beforeEach(async () => {
    for (const tenant_id of tenantIds) await bench.source.insert("tenants", { tenant_id });
  });
  return bench;
}

export async function openWorkbench(): Promise<Workbench> {
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
    async build(args = [], options = {}) {
      const result = await run(["snapshot", "build", "--json", ...args], options);
      return { ...result, report: parsedReport(result.stdout) };
    },
    async insertPrograms(tenantId, ...programs) {
      for (const program of programs) {
        const fields = typeof program === "string" ? { program_id: program } : program;
        const defaults = { name: `Tour ${fields.program_id}`, lifecycle_state: "active", capacity_total: 10 };
        await source.insert("programs", { tenant_id: tenantId, ...defaults, ...fields });
      }
    },
    insertMany: (tenantId, count) =>
      source.query(
        `INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state, capacity_total)
         SELECT $1, 'p-' || n, 'Tour ' || n, 'active', 10 FROM generate_series(1, $2::int) AS n`,
        [tenantId, count],
      ),
    async insertRows(view, tenantId, programId, ...rows) {
      for (const row of rows) {
        await source.insert(view, { tenant_id: tenantId, program_id: programId, ...row });
      }
    },
    published: (tenantId) => publishedSnapshot(store, tenantId),
    tree: () => storeTree(storeDirectory),
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
