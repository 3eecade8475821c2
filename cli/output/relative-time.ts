/** The time between `now` and `at` in words, in one unit: `3 minutes ago`, `in 2 days`, `just now`. */
export function relativeTime(at: Date, now: Date): string {
  const seconds = (now.getTime() - at.getTime()) / 1000;
  const distance = inUnit(
    Math.abs(seconds),
    ({ name }, count) => `${count} ${name}${count === 1 ? "" : "s"}`,
  );
  if (distance === undefined) return "just now";
  return seconds < 0 ? `in ${distance}` : `${distance} ago`;
}

/** How long ago `at` was, as short as tables need it: `3 min`, `2 d`, `0 s`. */
export function shortAge(at: Date, now: Date): string {
  const seconds = Math.max(0, (now.getTime() - at.getTime()) / 1000);
  return inUnit(seconds, ({ sign }, count) => `${count} ${sign}`) ?? "0 s";
}

/** The relative and the exact time. With the exact one people can search a log. */
export function relativeAndExact(rfc3339: string, now: Date): string {
  return `${relativeTime(new Date(rfc3339), now)} (${exactTime(rfc3339)})`;
}

/** RFC 3339 in UTC, to the second. */
export function exactTime(rfc3339: string): string {
  return `${new Date(rfc3339).toISOString().slice(0, 19)}Z`;
}

interface Unit {
  readonly name: string;
  readonly sign: string;
  readonly seconds: number;
  /** The unit is used from this many of it on. */
  readonly from: number;
}

/** Days and hours are used from two on, because one would round too much away: `90 minutes` says more than `1 hour`. */
const units: readonly Unit[] = [
  { name: "day", sign: "d", seconds: 86_400, from: 2 },
  { name: "hour", sign: "h", seconds: 3600, from: 2 },
  { name: "minute", sign: "min", seconds: 60, from: 1 },
  { name: "second", sign: "s", seconds: 1, from: 1 },
];

function inUnit(seconds: number, phrase: (unit: Unit, count: number) => string): string | undefined {
  const unit = units.find((candidate) => seconds >= candidate.seconds * candidate.from);
  return unit && phrase(unit, Math.floor(seconds / unit.seconds));
}
