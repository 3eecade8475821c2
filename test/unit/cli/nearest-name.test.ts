import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearestName } from "../../../cli/output/words.ts";

const commands = ["build", "watch", "status", "show", "list", "verify"];

describe("the nearest name", () => {
  it.each(["", "x", "xy", "publish", "rollback", "--json", "w".repeat(10_000)])("of %j is none", (typed) => {
    expect(nearestName(typed, commands)).toBeUndefined();
  });

  it("finds an id in another case, and one with a figure that slipped", () => {
    const ids = ["ATLAS-2027-0001", "ATLAS-2027-0002", "atlas-2028-0100"];
    expect(nearestName("atlas-2027-0002", ids)).toBe("ATLAS-2027-0002");
    expect(nearestName("ATLAS-2072-0002", ids)).toBe("ATLAS-2027-0002");
    expect(nearestName("ATLAS-20270001", ids)).toBe("ATLAS-2027-0001");
    expect(nearestName("BORA-2027-0002", ids)).toBeUndefined();
  });

  it("finds every text from which one slip of three or more characters led away", () => {
    const id = fc.stringMatching(/^[a-z0-9-]{3,20}$/);
    fc.assert(
      fc.property(id, fc.nat(), fc.nat(3), (meant, seed, kind) => {
        const place = seed % (meant.length - 1);
        const [before, after] = [meant.slice(0, place), meant.slice(place)];
        const typed = [
          `${before}_${after}`,
          `${before}_${after.slice(1)}`,
          before + after.slice(1),
          `${before}${after[1]}${after[0]}${after.slice(2)}`,
        ][kind];
        expect(nearestName(typed ?? "", [meant])).toBe(meant);
      }),
    );
  });
});
