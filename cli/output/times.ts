/** The time and the time zone of a text's reader. The zone is `UTC` or a name of the IANA's list. */
export interface Reader {
  readonly now: Date;
  readonly zone: string;
  /** The time within which the reader expects a build of each tenant, for judgements. */
  readonly buildWithinMs?: number | undefined;
}

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
export function relativeAndExact(rfc3339: string, { now, zone }: Reader): string {
  return `${relativeTime(new Date(rfc3339), now)} (${exactTime(rfc3339, zone)})`;
}

/** RFC 3339 to the second. In another zone than UTC, the time in UTC stands behind it. */
export function exactTime(rfc3339: string, zone = "UTC"): string {
  const at = new Date(rfc3339);
  const utc = `${at.toISOString().slice(0, 19)}Z`;
  if (zone === "UTC") return utc;
  const { year, month, day, time, offset } = partsIn(zone, at);
  return `${year}-${month}-${day}T${time}${offset} = ${utc}`;
}

/** A time for a sentence: `21 November 2026, 12:00 UTC`, in another zone with UTC behind it. A text that is no time stays as it is. */
export function plainTime(rfc3339: string, { zone }: Pick<Reader, "zone">): string {
  const at = new Date(rfc3339);
  if (Number.isNaN(at.getTime())) return rfc3339;
  const shown = (zoneOf: string): string => {
    const { year, month, day, time } = partsIn(zoneOf, at);
    return `${Number(day)} ${months[Number(month) - 1] ?? ""} ${year}, ${time.slice(0, 5)}`;
  };
  const utc = shown("UTC");
  if (zone === "UTC") return `${utc} UTC`;
  const own = shown(zone);
  const isSameDay = own.slice(0, -5) === utc.slice(0, -5);
  return `${own} ${partsIn(zone, at).name} (${isSameDay ? utc.slice(-5) : utc} UTC)`;
}

const months = "January February March April May June July August September October November December".split(
  " ",
);

/** Whether this Node.js knows the zone. */
export function isTimeZone(name: string): boolean {
  try {
    formatter(name);
    return true;
  } catch {
    return false;
  }
}

interface ZonedParts {
  readonly year: string;
  readonly month: string;
  readonly day: string;
  /** `08:00:00`. */
  readonly time: string;
  /** `+01:00`. */
  readonly offset: string;
  /** Short, such as `CET`. */
  readonly name: string;
}

function partsIn(zone: string, at: Date): ZonedParts {
  const parts = new Map(
    formatter(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? "";
  const time = `${of("hour")}:${of("minute")}:${of("second")}`;
  const [year, month, day] = [of("year").padStart(4, "0"), of("month"), of("day")];
  const aheadMinutes = Math.round((Date.parse(`${year}-${month}-${day}T${time}Z`) - at.getTime()) / 60_000);
  const minutes = String(Math.abs(aheadMinutes) % 60).padStart(2, "0");
  const hours = String(Math.trunc(Math.abs(aheadMinutes) / 60)).padStart(2, "0");
  const offset = `${aheadMinutes < 0 ? "-" : "+"}${hours}:${minutes}`;
  return { year, month, day, time, offset, name: of("timeZoneName") };
}

function formatter(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
  });
  formatters.set(zone, made);
  return made;
}

/** Kept, because making a formatter takes as long as making a page. */
const formatters = new Map<string, Intl.DateTimeFormat>();

interface Unit {
  readonly name: string;
  readonly sign: string;
  readonly seconds: number;
  /** The unit is used when the time is at least this many of it. */
  readonly from: number;
}

/** Days and hours are used from two on, because one would round too much away: `90 minutes` says more than `1 hour`. */
const units: readonly Unit[] = [
  { name: "day", sign: "d", seconds: 86_400, from: 2 },
  { name: "hour", sign: "h", seconds: 3600, from: 2 },
  { name: "minute", sign: "min", seconds: 60, from: 1 },
  { name: "second", sign: "s", seconds: 1, from: 1 },
];

/** The unit for a length of time; `undefined` below a second. */
export function unitOf(seconds: number): Unit | undefined {
  return units.find((unit) => seconds >= unit.seconds * unit.from);
}

function inUnit(seconds: number, phrase: (unit: Unit, count: number) => string): string | undefined {
  const unit = unitOf(seconds);
  return unit && phrase(unit, Math.floor(seconds / unit.seconds));
}
