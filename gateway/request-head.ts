import { randomUUID } from "node:crypto";

/** The parts of a request's header section that the gateway reads. It ignores all other headers, also those of a proxy (W99). */
export interface RequestHead {
  /** The values in the order of the wire, one per header line, so that a second line is never dropped silently. */
  readonly authorization: readonly string[];
  readonly requestId: readonly string[];
  readonly acceptEncoding: string;
  readonly snapshotSince: readonly string[];
  readonly hostCount: number;
  /** The message has a body, or announces one (RFC 9112 section 6.3). */
  readonly hasBody: boolean;
  readonly hasUpgrade: boolean;
}

/**
 * Reads `rawHeaders`, the names and values as Node's parser gives them, in one pass. Node's `headers` has only the first of
 * two `Authorization` lines, and building it costs more than all other steps.
 */
export function requestHead(rawHeaders: readonly string[]): RequestHead {
  let authorization = none;
  let requestId = none;
  let snapshotSince = none;
  let acceptEncoding = "";
  let hostCount = 0;
  let hasBody = false;
  let hasUpgrade = false;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    // The length rules out most names without lower-casing them.
    if (!nameLengths[name.length]) continue;
    const value = rawHeaders[at + 1] ?? "";
    switch (name.toLowerCase()) {
      case "host":
        hostCount += 1;
        break;
      case "upgrade":
        hasUpgrade = true;
        break;
      case "x-request-id":
        requestId = appended(requestId, value);
        break;
      case "authorization":
        authorization = appended(authorization, value);
        break;
      case "content-length":
        if (!/^0*$/.test(value)) hasBody = true;
        break;
      case "snapshot-since":
        snapshotSince = appended(snapshotSince, value);
        break;
      case "accept-encoding":
        acceptEncoding += acceptEncoding === "" ? value : `,${value}`;
        break;
      case "transfer-encoding":
        hasBody = true;
        break;
    }
  }
  return { authorization, requestId, acceptEncoding, snapshotSince, hostCount, hasBody, hasUpgrade };
}

/** Whether one of the names above has this length. */
const nameLengths = Array.from({ length: 18 }, (_, length) => [4, 7, 12, 13, 14, 15, 17].includes(length));

const none: string[] = [];

/** Appends in place: a copy for each line would take quadratic time. */
function appended(values: string[], value: string): string[] {
  if (values === none) return [value];
  values.push(value);
  return values;
}

/** The single well-formed `X-Request-Id` that came with the request, else a fresh UUID (W40). */
export function requestIdOf(values: readonly string[]): string {
  const [value] = values;
  return values.length === 1 && value !== undefined && requestIdPattern.test(value) ? value : randomUUID();
}

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * W46: whether the client prefers gzip to `identity` (RFC 9110 section 12.5.3). A client that forbids `identity` gets it all
 * the same when it does not accept gzip, since the API has no status for that case.
 */
export function prefersGzip(acceptEncoding: string): boolean {
  if (acceptEncoding === "" || !/gzip|\*/i.test(acceptEncoding)) return false;
  const weights = new Map<string, number>();
  for (const element of acceptEncoding.split(",")) {
    const [coding = "", ...parameters] = element.split(";");
    weights.set(coding.trim().toLowerCase(), weightOf(parameters));
  }
  const gzip = weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0;
  // `identity` is acceptable when it is not listed, but gzip is preferred then.
  return gzip > 0 && gzip >= (weights.get("identity") ?? 0);
}

function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const match = /^\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/i.exec(parameter);
    if (match !== null) return Number(match[1]);
    // A malformed weight does not permit the coding.
    if (/^\s*q\s*=/i.test(parameter)) return 0;
  }
  return 1;
}
