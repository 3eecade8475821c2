import { randomBytes } from "node:crypto";
import pg from "pg";
import type { SourceClient, SourcePool } from "../../cli/database/connect.ts";
import { terminalStatusTest } from "../../cli/publish/public-program/capacity.ts";
import type { SourceLimits } from "../../cli/publish/source/source-limits.ts";
import { databaseRows } from "../../cli/publish/source/tenant-rows.ts";
import type { BuildContext } from "../../cli/publish/tenant/attempt.ts";
import type { BuildOptions } from "../../cli/publish/tenant/build-options.ts";
import { buildTenant } from "../../cli/publish/tenant/build-tenant.ts";
import { parseTenantId } from "../../core/ids.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { defaultTerminalStatuses } from "../../core/settings.ts";
import type { TenantRun } from "../../schemas/generated/types.ts";

/** An active program without children. */
export interface CannedProgram {
  readonly programId: string;
  readonly name: string;
  readonly departureDate?: string;
  /** Only the detail shows it. */
  readonly description?: string;
}

/**
 * A source that gives these programs instead of asking a database: for tests in which only the store counts. What a
 * reading sees is what `programs` gives when `onReading` has resolved, and nothing that changes later.
 */
export function cannedPool(
  programs: () => readonly CannedProgram[],
  onReading: () => Promise<void> = async () => {},
): SourcePool {
  return {
    async withReading(read) {
      await onReading();
      return await read(cannedClient([...programs()]));
    },
  };
}

/** Builds the tenant from these programs, on the real code. */
export async function buildCanned(
  store: ObjectStore,
  tenant: string,
  programs: readonly CannedProgram[],
  options: Partial<BuildOptions> & {
    readonly now?: BuildContext["now"];
    readonly onReading?: () => Promise<void>;
    readonly followLive?: BuildContext["followLive"];
  } = {},
): Promise<TenantRun> {
  return await buildTenant(
    parseTenantId(tenant),
    { ...cannedOptions, ...options },
    {
      withRows: databaseRows(
        cannedPool(() => programs, options.onReading),
        (options.rules ?? cannedOptions.rules).limits,
      ),
      store,
      beforeFirstWrite: async () => {},
      now: options.now ?? (() => new Date()),
      randomBytes,
      onProgress: () => {},
      followLive: options.followLive,
      signal: new AbortController().signal,
    },
  );
}

export const cannedLimits: SourceLimits = { maxValueBytes: 1024 * 1024, maxProgramBytes: 4 * 1024 * 1024 };

export const cannedOptions: BuildOptions = {
  concurrency: 1,
  onInvalid: "fail",
  allowShrink: true,
  allowEmptied: true,
  allowShared: true,
  rewrite: false,
  dryRun: false,
  rules: {
    terminalStatuses: defaultTerminalStatuses,
    isTerminalStatus: terminalStatusTest(defaultTerminalStatuses),
    legacyCapacity: "object",
    limits: cannedLimits,
    maxListBytes: 1024 * 1024,
  },
  recipe: "c0".repeat(32),
};

/** Answers for the sums, then for the programs, read at once or by the reader's cursors, and with no children at all. */
function cannedClient(programs: CannedProgram[]): SourceClient {
  let tenantId: unknown;
  const fetched = (view: string): readonly (readonly (string | null)[])[] => {
    if (view !== "programs") return [];
    const sorted = programs.splice(0).sort((a, b) => (a.programId < b.programId ? -1 : 1));
    return sorted.map((program) => programRow(program, String(tenantId)));
  };
  const rowsOf = ({ text, values: [tenant, only] }: AskedQuery): readonly (readonly (string | null)[])[] => {
    if (text.includes("sum(hash)")) return sumRows(programs);
    tenantId = tenant;
    if (Array.isArray(only)) keepOnly(programs, only);
    return fetched(/FROM partner_source\.(\w+)/.exec(text)?.[1] ?? "");
  };
  const client = {
    query(statement: string | { readonly text: string } | pg.Query, values?: readonly unknown[]) {
      if (!(statement instanceof pg.Query)) return answer(statement, values);
      return streamed(statement, rowsOf(statement as unknown as AskedQuery));
    },
  };
  async function answer(statement: string | { readonly text: string }, values: readonly unknown[] = []) {
    if (typeof statement === "string") {
      const [, only] = values;
      [tenantId] = values;
      if (Array.isArray(only)) keepOnly(programs, only);
      return { rows: [] };
    }
    const results = [...statement.text.matchAll(/FROM "(\w+)"/g)].map(([, cursor = ""]) => ({
      rows: fetched(cursor),
    }));
    return results.length === 1 ? results[0] : results;
  }
  return client as unknown as SourceClient;
}

interface AskedQuery {
  readonly text: string;
  readonly values: readonly unknown[];
}

function keepOnly(programs: CannedProgram[], ids: readonly string[]): void {
  const kept = programs.filter(({ programId }) => ids.includes(programId));
  programs.splice(0, programs.length, ...kept);
}

/**
 * Hands over the rows as the driver does: later, one by one, and then the end. It does so within the turn of the event loop, because
 * a simulated world takes a builder that has asked nothing of the store for some turns as one that waits.
 */
function streamed(query: pg.Query, rows: readonly unknown[]): pg.Query {
  queueMicrotask(() => {
    for (const row of rows) query.emit("row", row);
    query.emit("end");
  });
  return query;
}

/** Rows of the query for sums: program, sum, that it is in the view of programs only, and that it is small. */
function sumRows(programs: readonly CannedProgram[]): readonly (readonly string[])[] {
  return [...programs]
    .sort((a, b) => (a.programId < b.programId ? -1 : 1))
    .map((program) => [program.programId, JSON.stringify(program), "1", "100"]);
}

/** In the order of the reader's columns. */
function programRow(program: CannedProgram, tenantId: string): readonly (string | null)[] {
  const { programId, name, departureDate = null, description = null } = program;
  const known = [programId, tenantId, name, "active", departureDate, null, "20"];
  const unknown: null[] = Array.from({ length: 14 }, () => null);
  const row: (string | null)[] = [...known, ...unknown];
  row[descriptionColumn] = description;
  return row;
}

const descriptionColumn = 12;
