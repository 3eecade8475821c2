import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exactAmount } from "../../../cli/publish/public-program/detail-parts.ts";

describe("exactAmount", () => {
  test.each([
    ...[null, "", " ", " 1", "1\n"],
    ..."NaN Infinity -Infinity infinity . - -. 1e5 0x10 1,5 1_000 +1 --1 1.2.3 ١٢ $5.00".split(" "),
    // Decimals that no number of JSON comes near.
    `1${"0".repeat(309)}`,
    `0.${"0".repeat(330)}1`,
  ])("%j is no amount", (decimal) => expect(exactAmount(decimal)).toBeUndefined());

  test("D22 keeps the decimal value of every amount that it accepts, and drops none that JSON can print back", () => {
    const decimals = fc.tuple(
      fc.boolean(),
      fc.oneof(fc.nat(99_999).map(String), fc.stringMatching(/^[0-9]{0,25}$/)),
      fc.oneof(fc.constant(""), fc.stringMatching(/^[0-9]{1,4}$/), fc.stringMatching(/^0{0,12}[0-9]{0,22}$/)),
    );
    fc.assert(
      fc.property(decimals, ([isNegative, whole, fraction]) => {
        const decimal = `${isNegative ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
        fc.pre(/\d/.test(decimal));
        const value = exactAmount(decimal);
        const printed = JSON.stringify(Number(decimal));
        const isHeld = equal(scaled(decimal), scaled(printed));
        expect(value !== undefined).toBe(isHeld);
        if (value !== undefined) expect(equal(scaled(decimal), scaled(JSON.stringify(value)))).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });
});

interface Scaled {
  readonly units: bigint;
  /** The value is units / 10^scale. */
  readonly scale: number;
}

/** The exact value of a JSON number or a decimal, by integer arithmetic alone. */
function scaled(text: string): Scaled {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const scale = fraction.length - Number(exponent);
  const units = BigInt(`${whole === "" || whole === "-" ? `${whole}0` : whole}${fraction}`);
  return scale >= 0 ? { units, scale } : { units: units * 10n ** BigInt(-scale), scale: 0 };
}

function equal(a: Scaled, b: Scaled): boolean {
  return a.units * 10n ** BigInt(b.scale) === b.units * 10n ** BigInt(a.scale);
}
