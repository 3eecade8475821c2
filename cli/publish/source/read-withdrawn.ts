import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { forEachRow } from "../../database/for-each-row.ts";
import { isEndedQuery } from "../../database/source-client.ts";
import { lifecycle } from "../public-program/lifecycle.ts";
import { compareIds } from "./contract.ts";
import { betweenPrograms, statesQuery } from "./source-queries.ts";
import { tryReading } from "./try-reading.ts";

/** Which of the programs are withdrawn: all their rows have a state that is not published (P20). */
export async function readWithdrawn(
  client: SourceClient,
  tenantId: TenantId,
  programs: { has(programId: string): boolean },
): Promise<readonly string[]> {
  return await withdrawnOf(client, statesQuery, [tenantId], programs);
}

/** The withdrawn programs, as far as the states could be read. */
export interface StatedWithdrawn {
  readonly programs: readonly string[];
  /** Why the states of some programs could not be read. */
  readonly unread: Error | undefined;
}

/**
 * Like `readWithdrawn`, but works around a row that makes the view fail (P130). Ranges of ids are halved until the bad row is in
 * a range of its own, which works because PostgreSQL compares ids before it evaluates dearer conditions. Throws when the database
 * ends a query because of its time or a lock, since asking for less would not help.
 */
export async function readWithdrawnAround(
  client: SourceClient,
  tenantId: TenantId,
  programs: { has(programId: string): boolean; ids(): Iterable<string> },
): Promise<StatedWithdrawn> {
  const found: string[] = [];
  let unread: Error | undefined;
  let queries = 1;
  const whole = await tryReading(client, () => readWithdrawn(client, tenantId, programs));
  if ("result" in whole) return { programs: whole.result, unread };
  if (isEndedQuery(whole.error)) throw whole.error;
  const parts: (readonly string[])[] = [[...programs.ids()].sort(compareIds)];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const range = [tenantId, part[0], part.at(-1)];
    const reading = await tryReading(client, () =>
      withdrawnOf(client, betweenPrograms(statesQuery), range, programs),
    );
    queries += 1;
    if ("result" in reading) {
      found.push(...reading.result);
      continue;
    }
    unread = reading.error;
    if (isEndedQuery(unread)) throw unread;
    const middle = part.length >> 1;
    if (middle > 0 && queries < maxQueries) parts.push(part.slice(middle), part.slice(0, middle));
  }
  return { programs: found, unread };
}

/** Isolating one bad row takes two queries per halving, about 40 for a million programs. */
const maxQueries = 200;

async function withdrawnOf(
  client: SourceClient,
  query: string,
  values: readonly unknown[],
  programs: { has(programId: string): boolean },
): Promise<readonly string[]> {
  const withdrawn = new Map<string, boolean>();
  await forEachRow(client, query, values, ([programId = null, state = null]) => {
    if (programId === null || !programs.has(programId)) return;
    const isStated = lifecycle(state).kind === "unpublished";
    withdrawn.set(programId, isStated && withdrawn.get(programId) !== false);
  });
  return [...withdrawn].filter(([, isWithdrawn]) => isWithdrawn).map(([programId]) => programId);
}
