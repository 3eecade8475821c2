import { setTimeout as delay } from "node:timers/promises";
import type { Manifest } from "../../../core/documents/manifest.ts";
import { createSlots, withDeadline } from "../../../core/ground/bounded-work.ts";
import { asFailure, Failure, interrupted } from "../../../core/ground/failure.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { rowsOf, type SourceClient } from "../../database/connect.ts";
import { withSourceReading } from "../../database/with-database-url.ts";
import type { Reader } from "../../output/words.ts";
import type { CliSettings } from "../../shell/shell.ts";

/** Why the booking database did not answer. */
export interface SourceAway {
  readonly kind: "unavailable";
  readonly reason: string;
}

/** The booking database, for questions that wait for a limited time and can do without an answer. */
export interface AskedDatabase {
  readonly settings: CliSettings;
  /**
   * Waits at most `maxMs` for the answer. A failing or silent database is an answer, too: the store alone
   * explains much. Throws `busy` when too many questions wait already, and `interrupted` when `signal`
   * aborts.
   */
  ask<Answer>(
    limits: { readonly maxMs: number; readonly signal: AbortSignal },
    read: (client: SourceClient) => Promise<Answer>,
  ): Promise<Answer | SourceAway>;
}

/** Where a question about a program or a request is asked, and who asks it. */
export interface SupportContext {
  readonly store: ObjectStore;
  readonly database: AskedDatabase;
  readonly reader: Reader;
  readonly signal: AbortSignal;
}

/** The booking database keeps its connections for the people who work with it. */
const maxConnections = 4;
/** Further questions would wait longer than a person does. */
const maxWaiting = 60;
const what = "Asking the booking database";

/** P180: all questions share four connections. Each opens and closes one, so an idle page holds none. */
export function createAskedDatabase(settings: CliSettings): AskedDatabase {
  const slots = createSlots(maxConnections);
  let asking = 0;
  return {
    settings,
    async ask({ maxMs, signal }, read) {
      if (asking >= maxConnections + maxWaiting) throw busy();
      asking += 1;
      const endsAtMs = performance.now() + maxMs;
      let hasConnection = false;
      const silent = `It did not answer within ${maxMs / 1000} seconds.`;
      const expired = (): Failure => (hasConnection ? new Failure("source_unavailable", silent) : busy());
      const question = async (ended: AbortSignal) => {
        hasConnection = true;
        // The wait ends before the query does, so that a slow view counts as silence and not as an error.
        const statementMs = Math.ceil(endsAtMs - performance.now()) + 500;
        try {
          return await withSourceReading(settings, ended, read, { statementMs });
        } catch (error) {
          // After a connection is cut, the server goes on with its query until the statement timeout.
          if (ended.aborted) await delay(statementMs, undefined, { ref: false });
          throw error;
        }
      };
      try {
        return await withDeadline({ timeoutMs: maxMs, signal, expired }, (ended) =>
          slots(what, ended, () => question(ended)).finally(() => {
            asking -= 1;
          }),
        );
      } catch (error) {
        if (signal.aborted) throw interrupted(what);
        const { code, message } = asFailure(error);
        if (code === "busy") throw error;
        return { kind: "unavailable", reason: message };
      }
    },
  };
}

function busy(): Failure {
  return new Failure("busy", "Too many pages ask the booking database at once. Try again in a few seconds.");
}

/** The programs of a snapshot that the next build of its tenant withdraws (P20). */
export type WithdrawnSince = { readonly kind: "asked"; readonly programs: readonly string[] } | SourceAway;

export async function withdrawnSince(
  database: AskedDatabase,
  { tenantId, programs }: Manifest,
  signal: AbortSignal,
): Promise<WithdrawnSince> {
  const { readWithdrawn } = await import("../../publish/source/tenant-rows.ts");
  return await database.ask({ maxMs: 15_000, signal }, async (client) => {
    return { kind: "asked", programs: await readWithdrawn(client, tenantId, programs) };
  });
}

export interface FoundInSource {
  readonly tenantId: string;
  readonly programId: string;
  readonly name: string;
  readonly state: string;
}

/** The programs of any tenant with every word in id or name, whatever the case. At most `limit`. */
export async function findProgramsInSource(
  client: SourceClient,
  words: readonly string[],
  limit: number,
): Promise<readonly FoundInSource[]> {
  const patterns = words.map((word) => `%${word.replace(/[\\%_]/g, "\\$&")}%`);
  const isMatch = "concat_ws(' ', program_id::text, left(name::text, 1000)) ILIKE ALL ($1::text[])";
  return await foundBy(client, isMatch, patterns, limit);
}

export type ElsewhereProgram = Pick<FoundInSource, "tenantId" | "programId">;

/** Programs of any tenant that have this id, also in another case or with spaces around it. At most ten. */
export async function readElsewhere(
  client: SourceClient,
  programId: string,
): Promise<readonly ElsewhereProgram[]> {
  const found = await foundBy(client, "lower(trim(program_id::text)) = lower(trim($1))", programId, 10);
  return found.map(({ tenantId, programId }) => ({ tenantId, programId }));
}

/** The states of the rows that have one id, each once. At most ten. */
export async function readRowStates(
  client: SourceClient,
  { tenantId, programId }: ElsewhereProgram,
): Promise<readonly string[]> {
  const condition = "(tenant_id::text, program_id::text) = ($1::json->>0, $1::json->>1)";
  const found = await foundBy(client, condition, JSON.stringify([tenantId, programId]), 10);
  return [...new Set(found.map(({ state }) => state))].sort();
}

/** `condition`: of the rows, with `value` as `$1`. */
async function foundBy(
  client: SourceClient,
  condition: string,
  value: unknown,
  limit: number,
): Promise<readonly FoundInSource[]> {
  const columns = ["tenant_id", "program_id", "name", "lifecycle_state"];
  const query = `
    SELECT ${columns.map((column) => `coalesce(left(${column}::text, 1000), '')`).join(", ")}
      FROM partner_source.programs WHERE ${condition} ORDER BY 1, 2 LIMIT $2`;
  const rows = await rowsOf<[string, string, string, string]>(client, query, [value, limit]);
  return rows.map(([tenantId, programId, name, state]) => ({ tenantId, programId, name, state }));
}
