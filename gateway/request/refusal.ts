import type { Cause } from "../../core/ground/cause-code.ts";
import type { Quota } from "./quota.ts";
import type { RequestTarget, Resource } from "./request-target.ts";

/** The closed set of `error.code` (W42). */
export type ErrorCode =
  | "invalid_request"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "rate_limit_exceeded"
  | "internal_error";

/** The HTTP status that belongs to the code. */
export function errorStatus(code: ErrorCode): number {
  return errors[code].status;
}

/** The body of an error response. A request id is of `[A-Za-z0-9._-]`, so it needs no escaping. */
export function errorEnvelope(code: ErrorCode, requestId: string): string {
  return `${errors[code].opening}${requestId}"}`;
}

const errors = {
  invalid_request: error("invalid_request", 400, "Invalid request"),
  unauthorized: error("unauthorized", 401, "Authentication required"),
  forbidden: error("forbidden", 403, "Insufficient scope"),
  not_found: error("not_found", 404, "Resource not found"),
  method_not_allowed: error("method_not_allowed", 405, "Method not allowed"),
  rate_limit_exceeded: error("rate_limit_exceeded", 429, "Rate limit exceeded"),
  internal_error: error("internal_error", 500, "Internal error"),
} as const satisfies Record<ErrorCode, object>;

/** The beginning of the body, up to the request id. It is made once per code. */
function error(code: ErrorCode, status: number, message: string): { status: number; opening: string } {
  const whole = JSON.stringify({ error: { code, message }, requestId: "" });
  return { status, opening: whole.slice(0, -'"}'.length) };
}

/** The header lines of one kind of response, made once: those of all (W5, W41, W42), then `extra`. */
export function kindHeaders(extra: string): string {
  return `Cache-Control: no-store\r\nContent-Type: application/json; charset=utf-8\r\n${extra}`;
}

const plainHeaders = kindHeaders("");

/** Why a request gets no 200. A class, so that `instanceof` tells it from other results. */
export class Refusal {
  readonly code: ErrorCode;
  /** For the log, never for the client. */
  readonly cause: Cause;
  /** The header lines that do not depend on the exchange. */
  readonly headers: string;
  /** The connection ends with the answer, because the message may not end where it seems to. */
  readonly closes: boolean;

  constructor(code: ErrorCode, cause: Cause, headers = plainHeaders, closes = false) {
    this.code = code;
    this.cause = cause;
    this.headers = headers;
    this.closes = closes;
  }
}

/** Check 1 (W15): HTTP/1.0 or 1.1 with what that version requires. */
export function messageRefusal(httpVersion: string, hostCount: number): Refusal | undefined {
  if (httpVersion === "1.0") return undefined;
  if (httpVersion !== "1.1") return malformedMessage("unsupported version of HTTP");
  // W12 (RFC 9112 section 3.2): exactly one Host line, even if the request target names the host, too.
  return hostCount === 1 ? undefined : malformedMessage(`${hostCount} Host headers`);
}

/** Checks 1 to 3: the target is well formed (W24) and names a resource (W1), and the method is GET (W13). */
export function admittedResource(target: RequestTarget, method: string | undefined): Resource | Refusal {
  if (target.kind === "malformed") return malformedMessage("malformed request target");
  if (target.kind === "unknown") return unknownPath;
  return method === "GET" ? target : wrongMethod;
}

/** Checks 5 (W50) and 6 (W34), for a request with a valid token. */
export function quotaOrScopeRefusal(quota: Quota, mayRead: boolean): Refusal | undefined {
  if (quota.isExceeded) {
    const headers = `${plainHeaders}Retry-After: ${quota.resetSeconds}\r\n`;
    return new Refusal("rate_limit_exceeded", quotaExceeded, headers);
  }
  return mayRead ? undefined : missingScope;
}

const challenge = 'WWW-Authenticate: Bearer realm="programs"';
const invalidToken = kindHeaders(`${challenge}, error="invalid_token"\r\n`);

/** W33 (RFC 6750 section 3): a request without credentials gets no error code. */
export const noToken = new Refusal(
  "unauthorized",
  { code: "no_token", text: "no token" },
  kindHeaders(`${challenge}\r\n`),
);

export function badToken(cause: Cause): Refusal {
  return new Refusal("unauthorized", cause, invalidToken);
}

export const malformedToken = badToken({ code: "malformed_token", text: "malformed token" });

export const malformedId = new Refusal("invalid_request", {
  code: "malformed_id",
  text: "ill-formed program id",
});

export const unknownProgram = new Refusal("not_found", {
  code: "unknown_program",
  text: "no such program in the live snapshot",
});

const unknownPath = new Refusal("not_found", { code: "unknown_path", text: "unknown path" });

export const wrongMethod = new Refusal(
  "method_not_allowed",
  { code: "wrong_method", text: "method other than GET" },
  kindHeaders("Allow: GET\r\n"),
);

const quotaExceeded: Cause = { code: "quota_exceeded", text: "quota exceeded" };

const missingScope = new Refusal(
  "forbidden",
  { code: "missing_scope", text: "scope missing" },
  kindHeaders(`${challenge}, error="insufficient_scope", scope="programs.read"\r\n`),
);

export function malformedMessage(text: string): Refusal {
  return new Refusal("invalid_request", { code: "malformed_request", text }, plainHeaders, true);
}
