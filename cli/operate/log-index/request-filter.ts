import type { RequestLogLine } from "../gateway-log/request-line.ts";
import { idDigest, type RequestColumns, routeNumber } from "./request-columns.ts";

/** Which requests are looked for. An `undefined` property allows any value. */
export interface RequestFilter {
  readonly requestId?: string | undefined;
  readonly tenantId?: string | undefined;
  readonly tokenId?: string | undefined;
  readonly programId?: string | undefined;
  readonly route?: string | undefined;
  /** From the first to the last, both included. */
  readonly status?: { readonly from: number; readonly to: number } | undefined;
  /** Milliseconds since 1970: from this time on, and before that one. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** Whether a row matches. It compares only digests of ids, so a few rows may match that should not. */
export type RowTest = (columns: RequestColumns, row: number) => boolean;

export function rowTest(filter: RequestFilter): RowTest {
  const tests: RowTest[] = [];
  const { requestId, tokenId, programId, tenantId, route, status, fromMs, toMs } = filter;
  // The tests that exclude the most rows come first.
  if (requestId !== undefined) tests.push(equals("request", idDigest(requestId)));
  if (programId !== undefined) tests.push(equals("program", idDigest(programId)));
  if (tokenId !== undefined) tests.push(equals("token", idDigest(tokenId)));
  if (tenantId !== undefined) tests.push(equals("tenant", idDigest(tenantId)));
  if (route !== undefined) tests.push(equals("route", routeNumber(route)));
  if (status !== undefined) {
    const { from, to } = status;
    tests.push(({ status: column }, row) => (column[row] ?? 0) >= from && (column[row] ?? 0) <= to);
  }
  if (fromMs !== undefined) tests.push(({ timeMs }, row) => (timeMs[row] ?? 0) >= fromMs);
  if (toMs !== undefined) tests.push(({ timeMs }, row) => (timeMs[row] ?? 0) < toMs);
  return (columns, row) => tests.every((test) => test(columns, row));
}

function equals(column: "request" | "program" | "token" | "tenant" | "route", wanted: number): RowTest {
  return (columns, row) => columns[column][row] === wanted;
}

/** Whether the line itself has the ids of the filter. Unlike the row test, this is exact. */
export function isWantedLine(line: RequestLogLine, filter: RequestFilter): boolean {
  const { requestId, tenantId, tokenId, programId } = filter;
  return (
    (requestId === undefined || line.requestId === requestId) &&
    (tenantId === undefined || line.tenantId === tenantId) &&
    (tokenId === undefined || line.tokenId === tokenId) &&
    (programId === undefined || line.programId === programId)
  );
}
