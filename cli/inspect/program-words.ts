import type { ProgramDetail } from "../../schemas/generated/types.ts";

/** An amount as the API gives it, with its currency if that is known. */
export function money(amount: number, currency: string | null): string {
  const text = amount.toLocaleString("en", { maximumFractionDigits: 20 });
  return currency === null ? text : `${text} ${currency}`;
}

/** `1 April 2027`, whatever the machine's time zone; the ISO form for what `Date` cannot tell. */
export function calendarDay(date: string | null): string | null {
  if (date === null) return null;
  const at = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(at.getTime())) return date;
  return at.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
}

/** The fields without any published value, by their names in the API. */
export function emptyFields(program: ProgramDetail): readonly string[] {
  return Object.entries(program)
    .filter(([, value]) => value === null || (Array.isArray(value) && value.length === 0))
    .map(([name]) => name);
}
