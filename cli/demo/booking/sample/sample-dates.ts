/** Calendar dates are `YYYY-MM-DD`; no time zone is involved. */
export function addDays(date: string, days: number): string {
  const time = Date.parse(`${date}T00:00:00Z`) + days * 86_400_000;
  const known = isoDates.get(time);
  if (known !== undefined) return known;
  const text = new Date(time).toISOString().slice(0, 10);
  isoDates.set(time, text);
  return text;
}

/** A sample of any size stays within a few years of dates. */
const isoDates = new Map<number, string>();
