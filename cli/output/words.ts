import { singleLine } from "../../core/ground/printable.ts";
import { isWithin } from "../../core/process/misspelt-settings.ts";

/** A whole number with a comma between thousands. `toLocaleString` would load all languages first. */
export function numberText(count: number): string {
  const groups: string[] = [];
  let rest = String(count);
  for (; rest.length > 3; rest = rest.slice(0, -3)) groups.unshift(rest.slice(-3));
  return [rest, ...groups].join(",");
}

/** A number and its noun: `1 request`, `1,200 requests`. */
export function counted(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** The time and the time zone of a text's reader. The zone is `UTC` or a name of the IANA's list. */
export interface Reader {
  readonly now: Date;
  readonly zone: string;
  /** The time within which the reader expects a build of each tenant, for judgements. */
  readonly buildWithinMs?: number | undefined;
  /** The longest life of a new token, for commands that judgements print. */
  readonly tokenMaxLifetimeMs?: number | undefined;
}

/** A duration as options and settings take it, in whole days or hours: `90d`, `36h`. */
export function durationText(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  return hours % 24 === 0 ? `${hours / 24}d` : `${hours}h`;
}

/** The time between `now` and `at` in words, in one unit: `3 minutes ago`, `in 2 days`, `just now`. */
export function relativeTime(at: Date, now: Date): string {
  const seconds = (now.getTime() - at.getTime()) / 1000;
  const unit = unitOf(Math.abs(seconds));
  if (unit === undefined) return "just now";
  const distance = counted(Math.floor(Math.abs(seconds) / unit.seconds), unit.name);
  return seconds < 0 ? `in ${distance}` : `${distance} ago`;
}

/** How long ago `at` was, as short as tables need it: `3 min`, `2 d`, `0 s`. */
export function shortAge(at: Date, now: Date): string {
  const seconds = Math.max(0, (now.getTime() - at.getTime()) / 1000);
  const { seconds: length, sign } = unitOf(seconds) ?? { seconds: 1, sign: "s" };
  return `${Math.floor(seconds / length)} ${sign}`;
}

/** The relative and the exact time. With the exact one people can search a log. */
export function relativeAndExact(rfc3339: string, { now, zone }: Reader): string {
  return `${relativeTime(new Date(rfc3339), now)} (${exactTime(rfc3339, zone)})`;
}

/** RFC 3339 to the second. In another zone than UTC, the time in UTC stands behind it. */
export function exactTime(rfc3339: string, zone = "UTC"): string {
  const at = new Date(rfc3339);
  const utc = `${at.toISOString().slice(0, 19)}Z`;
  if (zone === "UTC") return utc;
  // `2026-11-21 20:00:00 GMT−03:30`, with a minus of typography.
  const [day, time, offset = ""] = formatters(zone).exact.format(at).split(" ");
  return `${day}T${time}${offset.slice("GMT".length).replace("−", "-") || "+00:00"} = ${utc}`;
}

/** A time for a sentence: `21 November 2026, 12:00 UTC`, or in a zone, UTC behind. Other text stays. */
export function plainTime(rfc3339: string, { zone }: Pick<Reader, "zone">): string {
  const at = new Date(rfc3339);
  if (Number.isNaN(at.getTime())) return rfc3339;
  // Node.js versions differ in what stands between day and time.
  const [[day, time], [utcDay, utcTime]] = [zone, "UTC"].map((each) =>
    formatters(each)
      .plain.format(at)
      .split(/, | at /),
  ) as [string[], string[]];
  if (zone === "UTC") return `${day}, ${time}`;
  return `${day}, ${time} (${day === utcDay ? "" : `${utcDay}, `}${utcTime})`;
}

/** Whether this Node.js knows the zone. */
export function isTimeZone(name: string): boolean {
  try {
    return formatters(name) !== undefined;
  } catch {
    return false;
  }
}

function formatters(timeZone: string) {
  const made = known.get(timeZone) ?? {
    exact: new Intl.DateTimeFormat("sv-SE", {
      ...{ timeZone, year: "numeric", month: "2-digit", day: "2-digit" },
      ...{ hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "longOffset" },
    }),
    plain: new Intl.DateTimeFormat("en-GB", {
      ...{ timeZone, year: "numeric", month: "long", day: "numeric" },
      ...{ hour: "2-digit", minute: "2-digit", timeZoneName: "short" },
    }),
  };
  known.set(timeZone, made);
  return made;
}

/** Kept, because making a formatter takes as long as making a page. */
const known = new Map<string, { readonly exact: Intl.DateTimeFormat; readonly plain: Intl.DateTimeFormat }>();

/**
 * A unit is used when the time is at least `from` of it. Days and hours are used from two on, because one
 * would round too much away: `90 minutes` says more than `1 hour`.
 */
const units = [
  { name: "day", sign: "d", seconds: 86_400, from: 2 },
  { name: "hour", sign: "h", seconds: 3600, from: 2 },
  { name: "minute", sign: "min", seconds: 60, from: 1 },
  { name: "second", sign: "s", seconds: 1, from: 1 },
];

/** The unit for a length of time; `undefined` below a second. */
export function unitOf(seconds: number) {
  return units.find((unit) => seconds >= unit.seconds * unit.from);
}

/**
 * The candidate that the author of `name` most likely meant: the first of those with the fewest slips, at
 * most one per three characters and three in all. A slip is a character too many, missing, wrong, or
 * exchanged with its neighbour. Upper and lower case count as equal.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  // No id of the project has more than 128 characters.
  const most = name.length > 128 ? 0 : Math.min(3, Math.floor((name.length + 1) / 3));
  const near = [...candidates].filter(({ length }) => Math.abs(length - name.length) <= most);
  for (let slips = 0; slips <= most; slips += 1) {
    const found = near.find((candidate) => isWithin(slips, name.toLowerCase(), candidate.toLowerCase()));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The question after an unknown name: ` Did you mean acme?`; empty when no candidate is near. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const nearest = nearestName(name, candidates);
  return nearest === undefined ? "" : ` Did you mean ${singleLine(nearest)}?`;
}

/** P210: for names that people shorten, such as tenants' ids: also the shortest that begins so. */
export function didYouMeanLonger(name: string, candidates: readonly string[]): string {
  const asked = name.toLowerCase();
  const longer = candidates.filter((each) => asked.length >= 3 && each.toLowerCase().startsWith(asked));
  const [shortest] = longer.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return didYouMean(name, candidates) || (shortest === undefined ? "" : didYouMean(shortest, [shortest]));
}
