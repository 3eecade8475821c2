/** One request as the gateway's access log tells it. What the gateway did not get to know is `null`. */
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
  /** Since when, RFC 3339, the gateway could not confirm that snapshot, and the code of the failure; `null` while it could. */
  readonly unconfirmedSince: string | null;
  readonly unconfirmedCode: string | null;
  readonly objectKey: string | null;
  /** The well-formed id that a detail was asked for with. */
  readonly programId: string | null;
  /** Requests per window that the token had, and the window's length. */
  readonly limit: number | null;
  readonly windowSeconds: number | null;
  /** The client's connection, or a proxy's, and which of its requests this is, from 1. */
  readonly connection: string | null;
  readonly nth: number | null;
  /** The client's address, as a trusted proxy has told it; only where the gateway is set to log it. */
  readonly client: string | null;
  /** Whether the client prefers gzip, of a request that came as far as its answer; and the coding of a 200. */
  readonly acceptsGzip: boolean | null;
  readonly encoding: string | null;
  /** Seconds that a 429 told the client to wait. */
  readonly retryAfter: number | null;
  /** Why the answer was not a 200: a `CauseCode`, as far as this version knows them, and the same in words. */
  readonly causeCode: string | null;
  readonly cause: string | null;
  /** The connection ended before the response did. */
  readonly isCut: boolean;
}

/**
 * The request that a line of a log tells of; `undefined` for every other line. What collects logs often puts a time or a
 * stream's name in front of the JSON, or wraps it as Docker's `json-file` driver does; both are looked through.
 */
export function requestLine(text: string): RequestLogLine | undefined {
  const record = jsonRecord(text.slice(Math.max(0, text.indexOf("{"))));
  if (record === undefined) return undefined;
  if (typeof record.log === "string") return requestLine(record.log);
  const { time, requestId, status, route } = record;
  if (record.msg !== "request" || typeof requestId !== "string" || typeof status !== "number") {
    return undefined;
  }
  if (typeof time !== "string" || Number.isNaN(Date.parse(time))) return undefined;
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

/** What the gateway says of itself and of its store, between the requests. */
export interface GatewayNote {
  /** RFC 3339, UTC. */
  readonly time: string;
  /** `listening`: it started; `unconfirmed`, `confirmed`: its list of access keys is not known to be good, or is again. */
  readonly kind: "listening" | "unconfirmed" | "confirmed";
  /** The store that it goes by; `null` while it knows none. */
  readonly storeId: string | null;
  /** Another store, which answered instead of that one. */
  readonly otherStoreId: string | null;
  /** Why it is not ready, or confirmed nothing. */
  readonly causeCode: string | null;
  readonly cause: string | null;
}

/** The note that a line of a log is; `undefined` for every other line. */
export function gatewayNote(text: string): GatewayNote | undefined {
  const record = jsonRecord(text.slice(Math.max(0, text.indexOf("{"))));
  if (record === undefined) return undefined;
  if (typeof record.log === "string") return gatewayNote(record.log);
  const { time, msg } = record;
  const kind = typeof record.api === "string" ? "listening" : noteKinds.get(String(msg));
  if (kind === undefined || typeof time !== "string" || Number.isNaN(Date.parse(time))) return undefined;
  return {
    time,
    kind,
    storeId: string(record.storeId),
    otherStoreId: string(record.otherStoreId),
    causeCode: string(record.causeCode),
    cause: string(record.cause) ?? string(record.notReady),
  };
}

/** How the gateway words what it says of its list of access keys. */
const noteKinds: ReadonlyMap<string, GatewayNote["kind"]> = new Map([
  ["the token registry could not be confirmed", "unconfirmed"],
  ["the token registry is confirmed again", "confirmed"],
]);

function jsonRecord(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // A line that was cut when a log was rotated, or one of another program.
    return undefined;
  }
}

function string(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function number(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
