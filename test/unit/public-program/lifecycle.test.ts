import { describe, expect, test } from "vitest";
import { mapped } from "../../support/program-source.ts";

describe("whether a program is published", () => {
  test.each(["active", "ACTIVE", "Active"])("D1, D33 %s is published, case disregarded", (lifecycleState) => {
    expect(mapped({ lifecycleState }).kind).toBe("published");
  });

  test.each(["draft", "cancelled", "completed", "archived", "ended", "Draft", "ENDED"])(
    "D1, D33 %s is left out without complaint",
    (lifecycleState) => {
      expect(mapped({ lifecycleState })).toEqual({
        kind: "unpublished",
        state: lifecycleState.toLowerCase(),
      });
    },
  );

  test.each([null, "", " active", "active ", "canceled", "activé", "paused", "constructor", "0"])(
    "D3 the state %j breaks the source contract: an error",
    (lifecycleState) => {
      expect(mapped({ lifecycleState })).toMatchObject({
        kind: "invalid",
        problems: [
          {
            code: "lifecycle_state_unknown",
            programId: "p-1",
            field: "lifecycle_state",
            value: lifecycleState,
          },
        ],
      });
    },
  );

  test("D1 the lifecycle state alone decides: neither past dates nor a full program hide it", () => {
    const program = mapped({
      departureDate: "1999-01-01",
      returnDate: "1999-01-02",
      capacityTotal: 1,
      enrollments: [["passenger", "confirmed", 5]],
    });
    expect(program.kind).toBe("published");
  });
});

describe("D3 what makes a publishable program an error", () => {
  test.each([null, "", " ", "\u00a0\u2003\u3000", "\u0085", "\u2028\u2029"])("the blank name %j", (name) => {
    expect(mapped({ name })).toMatchObject({ kind: "invalid", problems: [{ code: "program_name_blank" }] });
  });

  test.each(["", "a/b", "__proto__", "a".repeat(129)])("the ill-formed id %j", (programId) => {
    expect(mapped({ programId })).toMatchObject({
      kind: "invalid",
      problems: [{ code: "program_id_invalid", field: "id" }],
    });
  });

  test("an invalid program reports its error only, no warnings: nothing of it is published", () => {
    const program = mapped({ name: "", currency: "?", capacityTotal: -1 });
    expect(program.kind === "invalid" && program.problems.map(({ code }) => code)).toEqual([
      "program_name_blank",
    ]);
  });
});
