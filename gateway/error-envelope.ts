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

/** The error response's body; the request id is of `[A-Za-z0-9._-]`, so it needs no escaping. */
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

/** The envelope up to the request id, made once per code. */
function error(code: ErrorCode, status: number, message: string): { status: number; opening: string } {
  const whole = JSON.stringify({ error: { code, message }, requestId: "" });
  return { status, opening: whole.slice(0, -'"}'.length) };
}
