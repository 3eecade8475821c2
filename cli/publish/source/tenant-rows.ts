import { Failure } from "../../../core/ground/failure.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import {
  limitWaiting,
  type SourceClient,
  type SourcePool,
  type TextRow,
  textRows,
} from "../../database/connect.ts";
import { isOfQuery } from "../../database/source-client.ts";
import { lifecycle } from "../public-program/program-source.ts";
import type { ProgramView } from "./contract.ts";
import { type FromView, ofTenant, programViews, statesQuery, viewQuery } from "./program-queries.ts";
import type { SourceLimits } from "./program-row.ts";
import {
  type ReadProgram,
  readPrograms,
  readSums,
  type TenantSums,
  type WantedPrograms,
} from "./read-programs.ts";

/** A tenant's programs within one consistent reading: from the database, or those of the sandbox. */
export interface TenantRows {
  /** As `readSums` gives them. */
  sums(): Promise<TenantSums>;
  /** As `readPrograms` gives them. */
  programs(wanted: WantedPrograms): AsyncGenerator<readonly ReadProgram[], void>;
  /** Which of the programs the source states as withdrawn. Asks for ids and states only (P130). */
  withdrawn(programs: { has(programId: string): boolean }): Promise<readonly string[]>;
}

export type WithTenantRows = <Result>(
  tenantId: TenantId,
  read: (rows: TenantRows) => Promise<Result>,
) => Promise<Result>;

/** A query that takes longer is given up. The next build asks again. */
const asked = { statementMs: 60_000 };

export function databaseRows(pool: SourcePool, limits: SourceLimits): WithTenantRows {
  return async (tenantId, read) => {
    try {
      return await pool.withReading((client) =>
        read({
          sums: () => readSums(client, tenantId),
          programs: (wanted) => readPrograms(client, tenantId, limits, wanted),
          withdrawn: async (programs) => {
            await limitWaiting(client, asked);
            return await readWithdrawn(client, tenantId, programs);
          },
        }),
      );
    } catch (error) {
      throw await withFailingView(pool, tenantId, error);
    }
  };
}

/** Reading these rows fails with `failure`. Withdrawals can still be asked for (P130). */
export function unreadableRows(failure: Failure, withRows: WithTenantRows): WithTenantRows {
  return (tenantId, read) =>
    read({
      sums: () => Promise.reject(failure),
      programs: () => {
        throw failure;
      },
      withdrawn: (programs) => withRows(tenantId, (rows) => rows.withdrawn(programs)),
    });
}

/** Which of the programs are withdrawn: all their rows have a state that is not published (P20). */
export async function readWithdrawn(
  client: SourceClient,
  tenantId: TenantId,
  programs: { has(programId: string): boolean },
): Promise<readonly string[]> {
  const withdrawn = new Map<string, boolean>();
  for (const [programId = null, state = null] of await textRows(client, statesQuery, [tenantId])) {
    if (programId === null || !programs.has(programId)) continue;
    const isStated = lifecycle(state).kind === "unpublished";
    withdrawn.set(programId, isStated && withdrawn.get(programId) !== false);
  }
  return [...withdrawn].filter(([, isWithdrawn]) => isWithdrawn).map(([programId]) => programId);
}

/** A query over all views does not say which of them fails, so each is asked once, for this tenant. */
async function withFailingView(pool: SourcePool, tenantId: TenantId, error: unknown): Promise<unknown> {
  if (!(error instanceof Failure) || error.code !== "source_contract") return error;
  const asking = pool.withReading((client) => failingViews(client, tenantId).next(), asked);
  const found = (await asking.catch(() => undefined))?.value;
  if (found === undefined) return error;
  return new Failure(
    "source_contract",
    `The view partner_source.${found.view} fails: ${found.error.message}. \`partner-programs source check\` names the row and the fix.`,
    { cause: error.cause },
  );
}

/** The views that fail for the tenant, found by reading its rows of each alone. Expects a transaction. */
export async function* failingViews(
  client: SourceClient,
  tenantId: TenantId,
  from?: FromView,
): AsyncGenerator<{ readonly view: ProgramView; readonly error: Error }, undefined> {
  for (const view of programViews) {
    const reading = await tryReading(client, () => client.query(viewQuery(view, from), [tenantId]));
    if ("error" in reading) yield { view, error: reading.error };
  }
  return undefined;
}

/**
 * P197: the program at which a view fails, found by reading half of the tenant's programs, then half of those
 * that fail, and so on. `query`: what fails, narrowed to the ids `$2`. `undefined`: none fails alone.
 */
export async function failingProgram(
  client: SourceClient,
  tenantId: TenantId,
  view: string,
  query: string,
): Promise<string | undefined> {
  const idsOf = (of: string): Promise<readonly TextRow[]> =>
    textRows(client, `SELECT DISTINCT program_id::text FROM partner_source.${of} WHERE ${ofTenant}`, [
      tenantId,
    ]);
  const fails = async (ids: readonly string[]): Promise<boolean> =>
    "error" in (await tryReading(client, () => client.query(query, [tenantId, ids])));
  const own = await tryReading(client, () => idsOf(view));
  const listed = "result" in own ? own : await tryReading(client, () => idsOf("programs"));
  let ids = "result" in listed ? listed.result.flatMap(([id]) => id ?? []) : [];
  while (ids.length > 1) {
    const half = ids.slice(0, ids.length >> 1);
    ids = (await fails(half)) ? half : ids.slice(half.length);
  }
  return (await fails(ids)) ? ids[0] : undefined;
}

/**
 * Reads within a savepoint of the current transaction, so that a failing view does not end the reading.
 * Cursors of `read` are closed. A broken connection throws. `error`: why the source could not be read.
 */
export async function tryReading<Result>(
  client: SourceClient,
  read: () => Promise<Result>,
): Promise<{ readonly result: Result } | { readonly error: Error }> {
  await client.query("SAVEPOINT before_reading");
  const reading = await read().then(
    (result) => ({ result }),
    (error: unknown) => {
      // A failure that a reader raises is about what it read.
      if (isOfQuery(error) || (error instanceof Failure && error.code === "internal")) return { error };
      throw error;
    },
  );
  await client.query("ROLLBACK TO SAVEPOINT before_reading; RELEASE SAVEPOINT before_reading");
  return reading;
}
