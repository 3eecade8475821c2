/**
 * D22: the number that prints back as the given decimal (`1234.50` as 1234.5), or `undefined` for what is no finite
 * number or has more digits than a JSON number can hold: such an amount would be published wrong.
 */
export function exactAmount(decimal: string | null): number | undefined {
  const match = decimal === null || !/\d/.test(decimal) ? null : decimalPattern.exec(decimal);
  if (match === null) return undefined;
  const value = Number(match[0]);
  return Number.isFinite(value) && plainDecimal(match) === printedDecimal(value) ? value : undefined;
}

/** W63: zeros are trimmed elsewhere: a pattern that does it takes quadratic time, and a numeric has 16,383 decimals. */
const decimalPattern = /^(-?)(\d*)(?:\.(\d*))?$/;

/** Without leading or trailing zeros. */
function plainDecimal([, sign = "", paddedWhole = "", paddedFraction = ""]: RegExpExecArray): string {
  const whole = paddedWhole.replace(/^0+/, "");
  const fraction = withoutTrailingZeros(paddedFraction);
  const digits = `${whole || "0"}${fraction === "" ? "" : `.${fraction}`}`;
  return digits === "0" ? "0" : sign + digits;
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}

/** How JSON prints the number, with an exponent written out. */
function printedDecimal(value: number): string {
  const [mantissa = "", exponent] = String(value).split("e");
  if (exponent === undefined) return mantissa === "-0" ? "0" : mantissa;
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(mantissa) ?? [];
  const shift = Number(exponent);
  return shift < 0
    ? `${sign}0.${"0".repeat(-shift - 1)}${whole}${fraction}`
    : `${sign}${whole}${fraction.padEnd(shift, "0")}`;
}
