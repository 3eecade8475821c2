import { describe, expect, test } from "vitest";
import { guardInvalid, guardShrink } from "../../../cli/build/guards.ts";
import { ProblemLog } from "../../../cli/build/problem-log.ts";
import { parseTenantId } from "../../../core/ids.ts";
import { failureOf } from "../../support/failure-of.ts";

const tenant = parseTenantId("acme");
const counts = { programs: 9, added: 0, changed: 0, removed: 0, unchanged: 9, notPublishable: 0, invalid: 2 };

describe("P10 the shrink guard", () => {
  test.each([
    [10, 4, "more than half and more than 5"],
    [9, 4, "more than half, and by exactly 5"],
    [11, 5, "more than half by one program"],
    [1000, 499, "more than half of many"],
    [1, 0, "to zero from one"],
    [4, 0, "to zero, though by less than 5"],
    [100, 0, "to zero"],
  ])("refuses a fall from %d to %d: %s", (before, after) => {
    const failure = failureOf(() => guardShrink(tenant, before, after));
    expect(failure.code).toBe("shrink_guard");
    expect(failure.message).toBe(
      `Tenant acme would shrink from ${before} to ${after} programs. ` +
        "Look into the source; if this is right, build with --allow-shrink.",
    );
  });

  test.each([
    [10, 5, "exactly half"],
    [8, 4, "exactly half, by 4"],
    [7, 3, "more than half, but by only 4"],
    [5, 1, "more than half, but by only 4"],
    [1000, 500, "exactly half of many"],
    [2, 1, "by one"],
    [0, 0, "from nothing to nothing"],
    [0, 100, "growth"],
    [5, 5, "no change"],
  ])("lets a fall from %d to %d pass: %s", (before, after) => {
    expect(() => guardShrink(tenant, before, after)).not.toThrow();
  });
});

describe("the shrink guard, when the live manifest cannot be read,", () => {
  test("refuses to publish nothing, since there was something for all it knows", () => {
    const failure = failureOf(() => guardShrink(tenant, undefined, 0));
    expect(failure.message).toContain("would shrink from an unknown number to 0 programs");
    expect(() => guardShrink(tenant, undefined, 1)).not.toThrow();
  });
});

describe("P19 the guard against invalid programs", () => {
  const problems = new ProblemLog();
  problems.add({ code: "currency_invalid", programId: "p-0", field: "currency", value: "?" });
  problems.add({ code: "program_name_blank", programId: "p-1", field: "name", value: null });
  problems.add({ code: "program_id_invalid", programId: "p 2", field: "id", value: "p 2" });

  test("fails by default, with the number, the first error and both ways out", () => {
    const failure = failureOf(() => guardInvalid(tenant, counts, problems, "fail"));
    expect(failure.code).toBe("invalid_program");
    expect(failure.message).toBe(
      "2 program(s) of tenant acme are invalid, the first: p-1 (program_name_blank). " +
        "Correct them in the source, or leave them out with --on-invalid skip.",
    );
  });

  test("lets them pass when they are to be skipped, and when there are none", () => {
    expect(() => guardInvalid(tenant, counts, problems, "skip")).not.toThrow();
    expect(() => guardInvalid(tenant, { ...counts, invalid: 0 }, problems, "fail")).not.toThrow();
  });
});
