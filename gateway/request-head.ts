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
  let authorization: string[] | undefined;
  let requestId: string[] | undefined;
  let snapshotSince: string[] | undefined;
  let acceptEncoding = "";
  let hostCount = 0;
  let hasBody = false;
  let hasUpgrade = false;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    const value = rawHeaders[at + 1] ?? "";
    // The length rules out most names without lower-casing them.
    switch (name.length) {
      case 4:
        if (name.toLowerCase() === "host") hostCount += 1;
        break;
      case 7:
        if (name.toLowerCase() === "upgrade") hasUpgrade = true;
        break;
      case 12:
        if (name.toLowerCase() === "x-request-id") requestId = appended(requestId, value);
        break;
      case 13:
        if (name.toLowerCase() === "authorization") authorization = appended(authorization, value);
        break;
      case 14:
        if (name.toLowerCase() === "content-length") {
          if (!/^0*$/.test(value)) hasBody = true;
        } else if (name.toLowerCase() === "snapshot-since") snapshotSince = appended(snapshotSince, value);
        break;
      case 15:
        if (name.toLowerCase() === "accept-encoding")
          acceptEncoding += acceptEncoding === "" ? value : `,${value}`;
        break;
      case 17:
        if (name.toLowerCase() === "transfer-encoding") hasBody = true;
        break;
    }
  }
  return {
    authorization: authorization ?? none,
    requestId: requestId ?? none,
    acceptEncoding,
    snapshotSince: snapshotSince ?? none,
    hostCount,
    hasBody,
    hasUpgrade,
  };
}

const none: readonly string[] = [];

/** Appends in place: a copy for each line would take quadratic time. */
function appended(values: string[] | undefined, value: string): string[] {
  if (values === undefined) return [value];
  values.push(value);
  return values;
}

/** The single well-formed `X-Request-Id` that came with the request, else a fresh UUID (W40). */
export function requestIdOf(values: readonly string[]): string {
  const [value] = values;
  return values.length === 1 && value !== undefined && requestIdPattern.test(value) ? value : randomUUID();
}

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;
