/** One request in the gateway's log. What the gateway did not know is `null`. */
export interface RequestLogLine {
  /** RFC 3339, UTC. */
  readonly time: string;
  readonly requestId: string;
  readonly tokenId: string | null;
  readonly tenantId: string | null;
  readonly route: string;
  readonly method: string | null;
  readonly status: number;
  readonly durationMs: number | null;
  readonly bytes: number | null;
  readonly snapshotId: string | null;
  /** Since when (RFC 3339) the gateway could not confirm that snapshot, and the failure's code. `null` while it could. */
  readonly unconfirmedSince: string | null;
  readonly unconfirmedCode: string | null;
  readonly objectKey: string | null;
  /** The program that was requested, if its id was well formed. */
  readonly programId: string | null;
  /** The token's limit of requests per window, and the length of the window. */
  readonly limit: number | null;
  readonly windowSeconds: number | null;
  /** The connection of the client, or of a proxy, and the number of this request on it, counted from 1. */
  readonly connection: string | null;
  readonly nth: number | null;
  /** The client's address as a trusted proxy tells it. `null` unless the gateway is set to log it. */
  readonly client: string | null;
  /** Whether the client prefers gzip, and the coding of a 200. */
  readonly acceptsGzip: boolean | null;
  readonly encoding: string | null;
  /** Seconds that a 429 told the client to wait. */
  readonly retryAfter: number | null;
  /** Why the answer was not a 200: a `CauseCode`, or a code of another version, and the same in words. */
  readonly causeCode: string | null;
  readonly cause: string | null;
  /** Whether the connection ended before the response was complete. */
  readonly isCut: boolean;
}

/** The request in a line of a log; `undefined` when the line is about something else. */
export function requestLine(text: string): RequestLogLine | undefined {
  const record = timedRecord(text);
  if (record === undefined) return undefined;
  const { time, requestId, status, route } = record;
  if (record.msg !== "request" || typeof requestId !== "string" || typeof status !== "number") {
    return undefined;
  }
  return {
    time,
    requestId,
    tokenId: string(record.tokenId),
    tenantId: string(record.tenantId),
    route: string(route) ?? "unknown",
    method: string(record.method),
    status,
    durationMs: number(record.durationMs),
    bytes: number(record.bytes),
    snapshotId: string(record.snapshotId),
    unconfirmedSince: string(record.unconfirmedSince),
    unconfirmedCode: string(record.unconfirmedCode),
    objectKey: string(record.objectKey),
    programId: string(record.programId),
    limit: number(record.limit),
    windowSeconds: number(record.windowSeconds),
    connection: string(record.connection),
    nth: number(record.nth),
    client: string(record.client),
    acceptsGzip: typeof record.acceptsGzip === "boolean" ? record.acceptsGzip : null,
    encoding: string(record.encoding),
    retryAfter: number(record.retryAfter),
    causeCode: string(record.causeCode),
    cause: string(record.cause),
    isCut: record.isCut === true,
  };
}

/** The requests in whole lines of a log. */
export function requestsIn(lines: Buffer): readonly RequestLogLine[] {
  return lines
    .toString("utf8")
    .split("\n")
    .flatMap((text) => requestLine(text) ?? []);
}

/**
 * The JSON object in a line, if it has a time. Log collectors often put a time or a name in front of the JSON, or wrap it as Docker's
 * `json-file` driver does. `undefined` also for a line that was cut by a rotation, or is another program's.
 */
function timedRecord(
  line: string,
): (Readonly<Record<string, unknown>> & { readonly time: string }) | undefined {
  const start = line.indexOf("{");
  if (start === -1) return undefined;
  try {
    const record = JSON.parse(line.slice(start));
    if (typeof record.log === "string") return timedRecord(record.log);
    return typeof record.time === "string" && !Number.isNaN(Date.parse(record.time)) ? record : undefined;
  } catch {
    return undefined;
  }
}

function string(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function number(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
