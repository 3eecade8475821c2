import { expect, test } from "vitest";
import { type ErrorCode, errorEnvelope, errorStatus } from "../../../gateway/refusal.ts";
import { isErrorResponse } from "../../../schemas/generated/validators-published.ts";

/** The specification's table of errors. */
const table: Readonly<Record<ErrorCode, readonly [status: number, message: string]>> = {
  invalid_request: [400, "Invalid request"],
  unauthorized: [401, "Authentication required"],
  forbidden: [403, "Insufficient scope"],
  not_found: [404, "Resource not found"],
  method_not_allowed: [405, "Method not allowed"],
  rate_limit_exceeded: [429, "Rate limit exceeded"],
  internal_error: [500, "Internal error"],
};
const codes: readonly ErrorCode[] = [
  "invalid_request",
  "unauthorized",
  "forbidden",
  "not_found",
  "method_not_allowed",
  "rate_limit_exceeded",
  "internal_error",
];

test.each(codes)("W42 %s has its status and message, and the published schema's form", (code) => {
  const [status, message] = table[code];
  const envelope: unknown = JSON.parse(errorEnvelope(code, "Order-7_a.b"));
  expect(errorStatus(code)).toBe(status);
  expect(envelope).toStrictEqual({ error: { code, message }, requestId: "Order-7_a.b" });
  expect(isErrorResponse(envelope)).toBe(true);
});
