import { Failure } from "../../../core/ground/failure.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import { shortened } from "../../../core/ground/printable.ts";
import type { ProgramListItem } from "../../../schemas/generated/types.ts";
import type { DataProblem } from "../public-program/problem.ts";
import { isMost } from "./guards.ts";

/** A program that partners see now and would see otherwise. */
export interface ChangedProgram {
  readonly programId: string;
  readonly before: ShownFields;
  readonly after: ShownFields;
}

/** P225: what of a program is compared, and kept for it, since most of a large tenant may have changed. */
export function shownFields(item: ProgramListItem) {
  const { name, departureDate, returnDate, capacity, currency, prices } = item;
  const { startingAmount } = prices;
  return {
    name,
    departureDate,
    returnDate,
    "capacity.total": capacity.total,
    currency,
    [amountField]: startingAmount,
  };
}

export const amountField = "prices.startingAmount";

export type ShownFields = ReturnType<typeof shownFields>;
type Value = ShownFields[keyof ShownFields];

/** P225: a warning for each field that changes in most of the `staying` programs: live now and afterwards. */
export function mostlyChanged(changed: readonly ChangedProgram[], staying: number): readonly DataProblem[] {
  const fields = Object.keys(changed[0]?.before ?? {}) as (keyof ShownFields)[];
  return fields.flatMap((field) => {
    const found = changed.flatMap(({ programId, before, after }) => {
      const [from, to] = [before[field], after[field]];
      // An amount counts from a change of a tenth.
      const isSmall = field === amountField && factorOf(from, to) > 0.9 && factorOf(from, to) < 1.1;
      return from === to || isSmall ? [] : [{ programId, from, to }];
    });
    const [first] = found;
    if (first === undefined || !isMost(found.length, staying)) return [];
    const value = `${found.length} of ${staying} program(s)${commonStep(found, field)}; ${exampleOf(first)}`;
    return [{ code: "mostly_changed", programId: null, field, value }];
  });
}

interface Change {
  readonly programId: string;
  readonly from: Value;
  readonly to: Value;
}

/** Rounded, since 123 is a little more or less than ten times 12.3. */
function factorOf(from: Value, to: Value): number {
  return Number((Number(to) / Number(from)).toPrecision(9));
}

function daysBetween(from: Value, to: Value): number {
  return (Date.parse(String(to)) - Date.parse(String(from))) / 86_400_000;
}

/** The days or the factor that all changes share. Amounts are rounded, so factors within 1 % are the same. */
function commonStep(changes: readonly Change[], field: string): string {
  const isDate = field.endsWith("Date");
  if (!isDate && field !== amountField) return "";
  const steps = changes.map(({ from, to }) => (isDate ? daysBetween(from, to) : factorOf(from, to)));
  const [first = 0] = steps;
  // A step from or to nothing is no number.
  if (!steps.every((step) => Math.abs(step / first - 1) <= (isDate ? 0 : 0.01))) return "";
  if (!isDate) return `, all by the factor ${rounded(first)}`;
  return `, all by ${first > 0 ? "+" : ""}${first} day${Math.abs(first) === 1 ? "" : "s"}`;
}

function rounded(factor: number): number {
  return Number(factor.toPrecision(3));
}

/** Parts are short enough for the 200 characters of a report. */
function exampleOf({ programId, from, to }: Change): string {
  const [id, before, after] = [programId, from, to].map((part) => shortened(String(part).slice(0, 200), 40));
  return `${id}: ${before} → ${after}`;
}

/** Programs whose starting amount changes by one factor, at least 10 or at most 1/10, in one currency. */
export interface ScaledAmounts {
  readonly programs: number;
  /** Those that have an amount before and after. */
  readonly of: number;
  readonly factor: number;
  readonly example: ChangedProgram;
}

/** The largest group of `changed` programs that have the same factor. */
export function scaledPrograms(changed: readonly ChangedProgram[]): Omit<ScaledAmounts, "of"> | undefined {
  const scaled = changed.flatMap((program, place) => {
    const { before, after } = program;
    const [amount, next] = [before[amountField], after[amountField]];
    const factor = amount === null || next === null ? 1 : factorOf(amount, next);
    const isOfScale = factor >= 10 || factor <= 1 / 10;
    return isOfScale && before.currency === after.currency ? [{ program, place, factor }] : [];
  });
  scaled.sort((a, b) => a.factor - b.factor);
  let [start, from, programs] = [0, 0, 0];
  for (const [end, { factor }] of scaled.entries()) {
    while ((scaled[start]?.factor ?? factor) * 1.02 < factor) start += 1;
    if (end - start >= programs) [from, programs] = [start, end + 1 - start];
  }
  const [first] = scaled.slice(from, from + programs).sort((a, b) => a.place - b.place);
  return first && { programs, factor: first.factor, example: first.program };
}

/** P226: why a build that scales the amounts of most programs may not publish. */
export function scaleRefusal(tenantId: TenantId, scaled: ScaledAmounts | undefined): Failure | undefined {
  if (scaled === undefined) return undefined;
  const { programs, of, factor, example } = scaled;
  const times = factor > 1 ? `${rounded(factor)} times` : `1/${rounded(1 / factor)} of`;
  const [from, to] = [example.before, example.after].map(
    ({ currency, [amountField]: amount }) => `${amount} ${currency ?? "(no currency)"}`,
  );
  return new Failure(
    "scale_guard",
    `The starting amounts of ${programs} of ${of} program(s) of tenant ${tenantId} would be ${times} what partners see now, ` +
      `${example.programId}: ${from} → ${to}. Look at the unit of the amounts in the views. If this is right, as when the ` +
      "amounts that are live are the wrong ones, build with --allow-scaled.",
  );
}
