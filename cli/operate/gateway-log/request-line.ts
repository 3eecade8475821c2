/**
 * What a line of the gateway's log may say of a request, beside `time`, `requestId`, `route` and `status`. `unconfirmedSince` and
 * `unconfirmedCode`: since when the gateway could not confirm the snapshot, and the failure's code. `programId`: if it was well
 * formed. `connection`: of the client, or of a proxy. `client`: the address that a trusted proxy tells. `cause`: why the answer was
 * not a 200, also as a code, perhaps of another version.
 */
const texts = [
  ...(["tokenId", "tenantId", "method", "snapshotId", "unconfirmedSince", "unconfirmedCode"] as const),
  ...(["objectKey", "programId", "connection", "client", "encoding", "causeCode", "cause"] as const),
];
/** `nth`: the number of the request on its connection, from 1. `retryAfter`: the seconds that a 429 told the client to wait. */
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

/**
 * The JSON object in a line, if it has a time. Log collectors often put a time or a name in front of the JSON, or wrap it as Docker's
 * `json-file` driver does. `undefined` also for a line that was cut by a rotation, or is another program's.
 */
function timedRecord(line: string): TimedRecord | undefined {
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
