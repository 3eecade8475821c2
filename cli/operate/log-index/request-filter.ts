import type { RequestLogLine } from "../gateway-log/request-line.ts";
import { idDigest, type RequestColumns, routeNumber } from "./request-columns.ts";

/** What is looked for; what is `undefined` may be anything. */
export interface RequestFilter {
  readonly requestId?: string | undefined;
  readonly tenantId?: string | undefined;
  readonly tokenId?: string | undefined;
  readonly programId?: string | undefined;
  readonly route?: string | undefined;
  /** Both included. */
  readonly status?: { readonly from: number; readonly to: number } | undefined;
  /** Milliseconds; the first included, the last not. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** Whether the row of the columns passes; of ids it knows the digest alone, so that a few may pass that should not. */
export type RowTest = (columns: RequestColumns, row: number) => boolean;

export function rowTest(filter: RequestFilter): RowTest {
  const tests: RowTest[] = [];
  const { requestId, tokenId, programId, tenantId, route, status, fromMs, toMs } = filter;
  // What leaves the fewest comes first.
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

/** The same of the line itself, for certain. */
export function isWantedLine(line: RequestLogLine, filter: RequestFilter): boolean {
  const { requestId, tenantId, tokenId, programId } = filter;
  return (
    (requestId === undefined || line.requestId === requestId) &&
    (tenantId === undefined || line.tenantId === tenantId) &&
    (tokenId === undefined || line.tokenId === tokenId) &&
    (programId === undefined || line.programId === programId)
  );
}
