import { describe, expect, test } from "vitest";
import { isErrorResponse, isProgramListResponse } from "../../../schemas/generated/validators-published.ts";
import { validate } from "../../../schemas/validate.ts";
import { example, replaced } from "./mutations.ts";

test("a detail's fields that the list lacks are refused in the list", () => {
  const list = replaced(example("program-list"), "/data/0/description", null);
  const violation = { path: "/data/0", expected: 'have no key "description"' };
  expect(validate(isProgramListResponse, list)).toMatchObject({ valid: false, violation });
});

test("a list without a program is one", () => {
  expect(validate(isProgramListResponse, { data: [], meta: { count: 0 } })).toMatchObject({ valid: true });
});

test("every element of a list is looked at", () => {
  const list = replaced(example("program-list"), "/data/1/capacity/remaining", -1);
  const violation = { path: "/data/1/capacity/remaining" };
  expect(validate(isProgramListResponse, list)).toMatchObject({ valid: false, violation });
});

describe("the error response", () => {
  const messages = {
    invalid_request: "Invalid request",
    unauthorized: "Authentication required",
    forbidden: "Insufficient scope",
    not_found: "Resource not found",
    method_not_allowed: "Method not allowed",
    rate_limit_exceeded: "Rate limit exceeded",
    internal_error: "Internal error",
  };
  const sample = { error: { code: "not_found", message: "Resource not found" }, requestId: "r-1" };

  test("pairs each code with its message only", () => {
    for (const [code, message] of Object.entries(messages)) {
      for (const other of Object.values(messages)) {
        const result = validate(isErrorResponse, replaced(sample, "/error", { code, message: other }));
        if (other === message) expect(result).toMatchObject({ valid: true });
        else expect(result).toMatchObject({ violation: { path: "/error/message" } });
      }
    }
  });

  test("has exactly the seven codes of the specification", () => {
    const result = validate(isErrorResponse, replaced(sample, "/error/code", "teapot"));
    const expected = `be ${Object.keys(messages)
      .map((code) => JSON.stringify(code))
      .join(" or ")}`;
    expect(result).toMatchObject({ violation: { path: "/error/code", expected, found: '"teapot"' } });
  });
});
