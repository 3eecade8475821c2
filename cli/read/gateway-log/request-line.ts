/**
 * What a line of the gateway's log may say of a request, beside `time`, `requestId`, `route` and `status`.
 * `unconfirmedSince` and `unconfirmedCode`: since when the gateway could not confirm the snapshot, and the
 * failure's code. `programId`: if it was well formed. `connection`: of the client, or of a proxy. `client`:
 * the address that a trusted proxy tells. `cause`: why the answer was not a 200, also as a code, perhaps of
 * another version.
 */
const texts = [
  ...(["tokenId", "tenantId", "method", "snapshotId", "unconfirmedSince", "unconfirmedCode"] as const),
  ...(["objectKey", "programId", "connection", "client", "encoding", "causeCode", "cause"] as const),
];
/** `nth`: the request's number on its connection, from 1. `retryAfter`: the seconds of a 429. */
const figures = ["durationMs", "bytes", "limit", "windowSeconds", "nth", "retryAfter"] as const;

/** One request in the gateway's log. What the gateway did not know is `null`. */
export type RequestLogLine = Readonly<Record<(typeof texts)[number], string | null>> &
  Readonly<Record<(typeof figures)[number], number | null>> & {
    /** RFC 3339, UTC. */
    readonly time: string;
    readonly requestId: string;
    readonly route: string;
    readonly status: number;
    /** Whether the client prefers gzip. */
    readonly acceptsGzip: boolean | null;
    /** Whether the connection ended before the response was complete. */
    readonly isCut: boolean;
  };

/** The request in a line of a log; `undefined` when the line is about something else. */
export function requestLine(text: string): RequestLogLine | undefined {
  const record = timedRecord(text);
  if (record === undefined) return undefined;
  const { time, requestId, status, route, acceptsGzip } = record;
  if (record.msg !== "request" || typeof requestId !== "string" || typeof status !== "number") {
    return undefined;
  }
  const known = (names: readonly string[], type: "string" | "number"): [string, unknown][] =>
    names.map((name) => [name, typeof record[name] === type ? record[name] : null]);
  return {
    ...Object.fromEntries([...known(texts, "string"), ...known(figures, "number")]),
    time,
    requestId,
    route: typeof route === "string" ? route : "unknown",
    status,
    acceptsGzip: typeof acceptsGzip === "boolean" ? acceptsGzip : null,
    isCut: record.isCut === true,
  } as RequestLogLine;
}

/** The requests in whole lines of a log. */
export function requestsIn(lines: Buffer): readonly RequestLogLine[] {
  return lines
    .toString("utf8")
    .split("\n")
    .flatMap((text) => requestLine(text) ?? []);
}

type TimedRecord = Readonly<Record<string, unknown>> & { readonly time: string };

/** The keys of collectors for a line: Docker, journald, CloudWatch and Datadog, Google Cloud, Loki. */
const wrappings = ["log", "MESSAGE", "message", "jsonPayload", "line"] as const;
const maxDepth = 3;
/** A collector's labels in front of the line may have braces, too. */
const maxBraces = 3;

/**
 * The gateway's record in a line as log collectors hand it on (P209): with a time, a name or braces in front,
 * or within up to three JSON objects, as an object or as text. `undefined` also for a line that was cut by a
 * rotation, or is another program's.
 */
function timedRecord(line: string, depth = maxDepth): TimedRecord | undefined {
  let start = -1;
  for (let brace = 0; brace < maxBraces; brace += 1) {
    start = line.indexOf("{", start + 1);
    if (start === -1) return undefined;
    const parsed = parsedJson(line.slice(start));
    if (parsed !== undefined) return unwrapped(parsed, depth);
  }
  return undefined;
}

function unwrapped(value: unknown, depth: number): TimedRecord | undefined {
  if (typeof value === "string") return timedRecord(value, depth);
  if (typeof value !== "object" || value === null) return undefined;
  const record = value as Readonly<Record<string, unknown>>;
  // Google Cloud takes the time out of the line, and puts it beside it.
  const time = record.time ?? record.timestamp;
  if (record.msg !== undefined) return isTime(record.time) ? { ...record, time: record.time } : undefined;
  if (depth === 0) return undefined;
  for (const key of wrappings) {
    const inner = record[key];
    if (inner === undefined) continue;
    const isBare = typeof inner === "object" && inner !== null && !("time" in inner);
    return unwrapped(isBare && isTime(time) ? { ...inner, time } : inner, depth - 1);
  }
  return undefined;
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
