import { randomUUID } from "node:crypto";
import { parseToken, type TokenDigest, tokenDigest } from "../../core/documents/token.ts";

/** What the gateway reads of a request's headers. It ignores all others, also a proxy's (W96). */
export interface RequestHead {
  /** The values as on the wire, one per header line, so that a second line is never dropped. */
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
 * Reads `rawHeaders`, the names and values as Node's parser gives them, in one pass. Node's `headers` has
 * only the first of two `Authorization` lines, and building it costs more than all other steps.
 */
export function requestHead(rawHeaders: readonly string[]): RequestHead {
  let authorization = noValues;
  let requestId = noValues;
  let snapshotSince = noValues;
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

const noValues: string[] = [];

/** Appends in place: a copy for each line would take quadratic time. */
function appended(values: string[], value: string): string[] {
  if (values === noValues) return [value];
  values.push(value);
  return values;
}

/** The single well-formed `X-Request-Id` that came with the request, else a fresh UUID (W40). */
export function requestIdOf(values: readonly string[]): string {
  const [value] = values;
  return values.length === 1 && value !== undefined && requestIdPattern.test(value) ? value : randomUUID();
}

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;

/** W46: whether the client prefers gzip to `identity` (RFC 9110, 12.5.3), which it gets otherwise. */
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

/** `none`: no bearer credentials. `malformed`: no token was ever like that, or two headers came. */
export type BearerCredentials =
  | { readonly kind: "none" }
  | { readonly kind: "malformed" }
  | { readonly kind: "token"; readonly digest: TokenDigest };

/** Reads the values of all `Authorization` lines of a request. */
export type CredentialsReader = (authorization: readonly string[]) => BearerCredentials;

/** A reader for one connection: its requests mostly carry one token, so only another is digested. */
export function createCredentialsReader(): CredentialsReader {
  let last: string | undefined;
  let credentials = none;
  return (authorization) => {
    const [value] = authorization;
    if (value === undefined) return none;
    // W31: with two headers, a proxy may have checked either. So neither counts, even if they are equal.
    if (authorization.length > 1) return malformed;
    if (value !== last) {
      credentials = bearerCredentials(value);
      last = value;
    }
    return credentials;
  };
}

/** W30 (RFC 6750 section 2.1): the scheme is compared without regard to case (RFC 9110 section 11.1). */
function bearerCredentials(value: string): BearerCredentials {
  // Nearly every client writes the header like this, and a slice is cheaper than a match.
  const text = value.startsWith("Bearer ppr_") ? value.slice("Bearer ".length) : afterBearer(value);
  if (text === undefined) return none;
  const token = parseToken(text);
  return token === undefined ? malformed : { kind: "token", digest: tokenDigest(token) };
}

const none: BearerCredentials = { kind: "none" };
const malformed: BearerCredentials = { kind: "malformed" };
const scheme = "bearer";

/** The text after the scheme and its spaces; `undefined` when the scheme is another one. */
function afterBearer(value: string): string | undefined {
  if (value.slice(0, scheme.length).toLowerCase() !== scheme) return undefined;
  let at = scheme.length;
  while (value.charAt(at) === " ") at += 1;
  return at > scheme.length || at === value.length ? value.slice(at) : undefined;
}
