import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { problemPlace } from "../../../cli/operate/source-check/findings.ts";
import { publicProgram, terminalStatusTest } from "../../../cli/publish/public-program/public-program.ts";
import { defaultTerminalStatuses } from "../../../core/process/settings.ts";
import { anyProgramSource } from "../../support/program-source-arbitrary.ts";

describe("the place of a problem in the source", () => {
  test.each([
    ["prices.rooms", "programs", "legacy_price"],
    ["prices.rooms[2]", "room_prices", null],
    ["hotels[10].checkIn", "hotel_stays", "check_in"],
    ["content.visits[0]", "programs", "visits"],
    ["transport.flights[1].airline.code", "flights", "airline_code"],
    ["/data/content/visits/0", "programs", "visits"],
    ["/data/hotels/3/name", "hotel_stays", "name"],
    ["/data/data", null, null],
    ["/name", "programs", "name"],
    ["", null, null],
    [null, null, null],
  ])("of %s is %s.%s", (field, view, column) => expect(problemPlace(field)).toEqual({ view, column }));

  test("is known of whatever the mapping reports", () => {
    const rules = { isTerminalStatus: terminalStatusTest(defaultTerminalStatuses) };
    fc.assert(
      fc.property(anyProgramSource, (source) => {
        const program = publicProgram(source, rules);
        if (program.kind === "unpublished") return;
        const lost = program.problems.filter(({ field }) => problemPlace(field).view === null);
        expect(lost).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
