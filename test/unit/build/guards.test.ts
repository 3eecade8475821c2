import { describe, expect, test } from "vitest";
import { amountField, scaledPrograms } from "../../../cli/publish/guards/change-guard.ts";
import { shrinkRefusal } from "../../../cli/publish/guards/guards.ts";
import { noPrograms } from "../../../cli/publish/tenant/build-report.ts";
import { parseTenantId } from "../../../core/ground/ids.ts";

const tenant = parseTenantId("acme");

/** What the guard says when so many of `before` programs are lost, so many withdrawn and so many new. */
function refusal(before: number, lost: number, withdrawn = 0, added = 0) {
  const removed = lost + withdrawn;
  const programs = before - removed + added;
  return shrinkRefusal(tenant, before, { ...noPrograms, programs, removed, withdrawn, added });
}

describe("P10 the shrink guard", () => {
  test.each([
    [10, 6, "more than half and more than 5"],
    [9, 5, "more than half, and exactly 5"],
    [11, 6, "more than half by one program"],
    [1000, 501, "more than half of many"],
    [1, 1, "the only one"],
    [4, 4, "all, though fewer than 5"],
    [100, 100, "all"],
  ])("of %d programs refuses to lose %d: %s", (before, lost) => {
    const failure = refusal(before, lost);
    expect(failure?.code).toBe("shrink_guard");
    expect(failure?.message).toMatch(new RegExp(`^\\D* ${before} .* acme, ${lost} .*--allow-shrink`));
  });

  test.each([
    [10, 5, "exactly half"],
    [8, 4, "exactly half, by 4"],
    [7, 4, "more than half, but only 4"],
    [5, 4, "more than half, but only 4"],
    [1000, 500, "exactly half of many"],
    [2, 1, "one"],
    [0, 0, "nothing of nothing"],
    [5, 0, "nothing"],
  ])("of %d programs lets %d be lost: %s", (before, lost) => expect(refusal(before, lost)).toBeUndefined());

  test.each([
    [10, 0, 10, 0, "all withdrawn"],
    [10, 4, 5, 0, "withdrawn ones are not lost"],
    [1, 0, 1, 0, "the only one withdrawn"],
  ])("of %d lets %d be lost and %d be withdrawn, %d being new: %s", (before, lost, withdrawn, added) => {
    expect(refusal(before, lost, withdrawn, added)).toBeUndefined();
  });

  test.each([
    [10, 6, 0, 100, "new programs do not make up for lost ones"],
    [10, 6, 4, 0, "withdrawn ones do not hide them"],
    [3, 1, 2, 0, "the last one is lost when the others were withdrawn"],
  ])("of %d refuses to lose %d, %d being withdrawn and %d new: %s", (before, lost, withdrawn, added) => {
    expect(refusal(before, lost, withdrawn, added)?.code).toBe("shrink_guard");
  });
});

describe("the shrink guard, when the live manifest cannot be read,", () => {
  test("refuses to publish nothing, since there was something for all it knows", () => {
    expect(shrinkRefusal(tenant, undefined, noPrograms)?.message).toContain("unknown number");
    expect(shrinkRefusal(tenant, undefined, { ...noPrograms, notPublishable: 1, invalid: 1 })).toBeDefined();
  });

  test("lets pass what has programs, or says that none of them is to be published", () => {
    expect(shrinkRefusal(tenant, undefined, { ...noPrograms, programs: 1 })).toBeUndefined();
    expect(shrinkRefusal(tenant, undefined, { ...noPrograms, notPublishable: 1 })).toBeUndefined();
  });
});

test("P226 the programs of the most frequent factor are scaled, in whatever order they come", () => {
  const others = {
    name: "Tour",
    departureDate: null,
    returnDate: null,
    currency: "EUR",
    "capacity.total": 9,
  };
  const shown = (amount: number) => ({ ...others, [amountField]: amount });
  const changed = [100, 10, 100, 0.01, 100, 10].map((factor, at) => {
    return { programId: `p-${at}`, before: shown(1000), after: shown(1000 * factor) };
  });
  expect(scaledPrograms(changed)).toEqual({ programs: 3, factor: 100, example: changed[0] });
});
