import type { Cause } from "../core/cause-code.ts";
import type { Exchange } from "./exchange.ts";
import type { ConnectionRefusal } from "./refuse-connection.ts";
import type { Outcome } from "./respond.ts";

/** One line per request, of a fixed list of fields. */
export interface AccessLog {
  exchange(exchange: Exchange, outcome: Outcome, nowMs: number): void;
  /** A request that the HTTP parser refused: nothing is known of it but the id that was answered. */
  refusal(refusal: ConnectionRefusal): void;
}

export function createAccessLog(destination: { write(line: string): void }, program: string): AccessLog {
  const opening = openingClock(program);
  const write = (record: AccessRecord): void => destination.write(accessLine(record, opening()));
  return {
    exchange: (exchange, outcome, nowMs) => write(exchangeRecord(exchange, outcome, nowMs)),
    refusal: (refusal) => write(refusalRecord(refusal)),
  };
}

/** One request as the log tells it: exactly these fields. */
interface AccessRecord {
  readonly requestId: string;
  readonly tokenId: string | undefined;
  readonly tenantId: string | undefined;
  /** Requests per window that the token had. */
  readonly limit: number | undefined;
  readonly route: string;
  readonly programId: string | undefined;
  readonly method: string | undefined;
  readonly status: number;
  readonly durationMs: number;
  /** Bytes of the body handed to the connection. */
  readonly bytes: number;
  readonly snapshotId: string | undefined;
  readonly objectKey: string | undefined;
  readonly cause: Cause | undefined;
  /** The connection ended before the response did. */
  readonly isCut: boolean;
}

/**
 * What is kept of a request. Neither its path nor any header is: a client's mistake can put a token into each. A
 * request id is echoed whatever it says and a program id may be any, but a token that is sent as one is not kept either.
 */
function exchangeRecord(exchange: Exchange, outcome: Outcome, nowMs: number): AccessRecord {
  const { requestId, token, route, programId, req, snapshot, objectKey, cause, startedAtMs } = exchange;
  return {
    requestId: withoutTokens(requestId),
    tokenId: token?.tokenId,
    tenantId: token?.tenantId,
    limit: token?.limit,
    route,
    programId: programId === undefined ? undefined : withoutTokens(programId),
    method: req.method,
    status: outcome.status,
    durationMs: Math.round((nowMs - startedAtMs) * 1000) / 1000,
    bytes: outcome.bytes,
    snapshotId: snapshot?.manifest.snapshotId,
    objectKey,
    cause,
    isCut: outcome.isCut,
  };
}

function refusalRecord(refusal: ConnectionRefusal): AccessRecord {
  const { requestId, status, cause } = refusal;
  return {
    requestId: withoutTokens(requestId),
    tokenId: undefined,
    tenantId: undefined,
    limit: undefined,
    route: "unknown",
    programId: undefined,
    method: undefined,
    status,
    durationMs: 0,
    bytes: 0,
    snapshotId: undefined,
    objectKey: undefined,
    cause,
    isCut: false,
  };
}

/**
 * The record as a line of the log, in the form that the logger gives to its own. Written out by hand, which takes a
 * fifth of the time; only the text of the cause can hold a character that JSON escapes.
 */
function accessLine(record: AccessRecord, opening: string): string {
  const { requestId, tokenId, tenantId, limit, route, programId, method, status } = record;
  const { durationMs, bytes, snapshotId, objectKey, cause, isCut } = record;
  let line = `${opening}"requestId":"${requestId}"`;
  if (tokenId !== undefined) line += `,"tokenId":"${tokenId}","tenantId":"${tenantId}","limit":${limit}`;
  line += `,"route":"${route}"`;
  if (programId !== undefined) line += `,"programId":"${programId}"`;
  if (method !== undefined) line += `,"method":"${method}"`;
  line += `,"status":${status},"durationMs":${durationMs},"bytes":${bytes}`;
  if (snapshotId !== undefined) line += `,"snapshotId":"${snapshotId}"`;
  if (objectKey !== undefined) line += `,"objectKey":"${objectKey}"`;
  if (cause !== undefined) line += `,"causeCode":"${cause.code}","cause":${JSON.stringify(cause.text)}`;
  if (isCut) line += ',"isCut":true';
  return `${line},"msg":"request"}\n`;
}

function withoutTokens(id: string): string {
  return id.includes("ppr_") ? id.replace(/ppr_[0-9A-Za-z]+/g, "[token]") : id;
}

/** How each line begins; many requests share a millisecond, and its text. */
function openingClock(program: string): () => string {
  let atMs = Number.NaN;
  let text = "";
  return () => {
    const nowMs = Date.now();
    if (nowMs !== atMs) {
      atMs = nowMs;
      text = `{"level":"info","time":"${new Date(nowMs).toISOString()}","program":"${program}",`;
    }
    return text;
  };
}
