import { parsedUrl } from "./parsed-url.ts";
import { type Environment, type Setting, SettingFault } from "./setting-parser.ts";

/** The name and description that every setting has. */
interface About {
  readonly name: string;
  readonly about: string;
}

export function integer(
  spec: About & { readonly fallback: number; readonly min: number; readonly max: number },
): Setting<number> {
  return {
    ...spec,
    fallbackText: String(spec.fallback),
    fallback: () => spec.fallback,
    parse: (text) => {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      if (value >= spec.min && value <= spec.max) return value;
      throw new SettingFault(`must be a whole number from ${spec.min} to ${spec.max}`);
    },
    show: String,
  };
}

export function choice<const Word extends string>(
  spec: About & { readonly words: readonly Word[]; readonly fallback: Word },
): Setting<Word> {
  return {
    ...spec,
    fallbackText: spec.fallback,
    fallback: () => spec.fallback,
    parse: (text) => {
      const word = spec.words.find((candidate) => candidate === text);
      if (word !== undefined) return word;
      throw new SettingFault(`must be one of ${spec.words.join(", ")}`);
    },
    show: String,
  };
}

/** Free text with a parser of its own. The default may depend on other variables. */
export function text<Value>(
  spec: About & {
    readonly fallbackText: string;
    readonly fallback: (env: Environment) => Value;
    readonly parse: (text: string, env: Environment) => Value;
    readonly show: (value: Value) => string;
  },
): Setting<Value> {
  return spec;
}

export function optional<Value>(
  spec: About & {
    readonly parse: (text: string, env: Environment) => Value;
    readonly fallbackText?: string;
    readonly show?: (value: Value) => string;
  },
): Setting<Value | undefined> {
  const { show = String } = spec;
  return {
    fallbackText: "none",
    ...spec,
    fallback: () => undefined,
    show: (value) => (value === undefined ? "none" : show(value)),
  };
}

/** One of two words, the first of which means `true`. */
export function flag(
  spec: About & {
    readonly words: readonly [string, string];
    readonly fallbackText: string;
    readonly fallback: (env: Environment) => boolean;
  },
): Setting<boolean> {
  return {
    ...spec,
    parse: (word) => {
      if (spec.words.includes(word)) return word === spec.words[0];
      throw new SettingFault(`must be ${spec.words.join(" or ")}`);
    },
    show: (isOn) => spec.words[isOn ? 0 : 1],
  };
}

/** The address of a listener, on loopback unless configured otherwise. */
export function listenerHost(spec: About): Setting<string> {
  return {
    ...spec,
    fallbackText: "`127.0.0.1`",
    fallback: () => "127.0.0.1",
    parse: parseHost,
    show: String,
  };
}

/** Throws a `SettingFault` unless the text may be an IP address or a host name. */
export function parseHost(name: string): string {
  if (/^[A-Za-z0-9._:%-]+$/.test(name)) return name;
  throw new SettingFault("must be an IP address or a host name");
}

/** A TCP port; 0 picks a free one. */
export function port(spec: About & { readonly fallback: number }): Setting<number> {
  const numeric = integer({ ...spec, min: 0, max: 65_535 });
  return {
    ...numeric,
    parse: (text, env) => portNumber(numeric, text, env, "must be a port from 0 to 65535"),
  };
}

/** A TCP port, or `off`, which gives `undefined`. */
export function portOrOff(
  spec: About & { readonly fallback: number | undefined },
): Setting<number | undefined> {
  const numeric = integer({ ...spec, fallback: spec.fallback ?? 0, min: 0, max: 65_535 });
  return {
    ...numeric,
    fallbackText: spec.fallback === undefined ? "off" : String(spec.fallback),
    fallback: () => spec.fallback,
    parse: (text, env) =>
      text === "off" ? undefined : portNumber(numeric, text, env, "must be a port from 0 to 65535 or off"),
    show: (value) => (value === undefined ? "off" : String(value)),
  };
}

function portNumber(numeric: Setting<number>, text: string, env: Environment, fault: string): number {
  try {
    return numeric.parse(text, env);
  } catch {
    throw new SettingFault(fault);
  }
}

/** A date and time of RFC 3339, or none. */
export function instant(spec: About & { readonly fallback: string | undefined }): Setting<Date | undefined> {
  return {
    ...spec,
    fallbackText: spec.fallback ?? "none",
    fallback: () => (spec.fallback === undefined ? undefined : new Date(spec.fallback)),
    parse: (text) => {
      const value = parseInstant(text);
      if (value !== undefined) return value;
      throw new SettingFault("must be a date and time of RFC 3339, like 2027-01-31T00:00:00Z");
    },
    show: (value) => value?.toISOString() ?? "none",
  };
}

/** An instant of RFC 3339 (a date alone is midnight UTC), or `undefined`. */
export function parseInstant(text: string): Date | undefined {
  const pattern = /^(\d{4}-\d{2}-\d{2})([Tt](?!24)\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2}))?$/;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const value = new Date(text.toUpperCase());
  // `Date` turns 31 February into 3 March, so only a day that exists is printed as it was written.
  const day = new Date(`${match[1]}T00:00:00Z`);
  if (Number.isNaN(value.getTime()) || Number.isNaN(day.getTime())) return undefined;
  if (!day.toISOString().startsWith(match[1] ?? "")) return undefined;
  // An offset can lead out of the years 1 to 9999, which are the only ones in stored documents.
  return /^(?!0000)\d{4}-/.test(value.toISOString()) ? value : undefined;
}

/** Hours, days of 24 hours, or weeks; `NaN` for anything else. Months are refused, because they differ in length. */
export function durationMs(text: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([hdw])$/.exec(text) ?? [];
  return Number(count) * (hours[unit] ?? Number.NaN) * hourMs;
}

const hours: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24 };
const hourMs = 3_600_000;

/** A duration in milliseconds, or none. */
export function duration(spec: About): Setting<number | undefined> {
  return optional({
    ...spec,
    parse: (text) => {
      const ms = durationMs(text);
      if (ms > 0) return ms;
      throw new SettingFault("must be a number of hours, days or weeks, like 12h, 90d or 26w");
    },
    show: (ms) => (ms % (24 * hourMs) === 0 ? `${ms / (24 * hourMs)}d` : `${ms / hourMs}h`),
  });
}

/** A URL of one of the given schemes. Its password, if any, is never shown. */
export function url(
  spec: About & {
    readonly schemes: readonly string[];
    /** Not set for PostgreSQL, whose host may be in a query parameter, as for a socket. */
    readonly needsHost?: boolean;
    readonly fallbackText: string;
  },
): Setting<URL | undefined> {
  return {
    ...spec,
    fallback: () => undefined,
    parse: (text) => {
      // The text may hold a password, so no fault repeats it.
      const parsed = parsedUrl(text);
      if (parsed === undefined) throw new SettingFault(`is not a URL; ${percentEncode}`);
      const { protocol } = parsed;
      // `postgres:secret` is a valid URL without a host.
      if (!spec.schemes.includes(protocol) || !text.slice(protocol.length).startsWith("//")) {
        throw new SettingFault(`must begin with ${spec.schemes.map((scheme) => `${scheme}//`).join(" or ")}`);
      }
      if (isMisread(parsed)) throw new SettingFault(`is ambiguous; ${percentEncode}`);
      if (spec.needsHost === true && parsed.hostname === "") throw new SettingFault("names no host");
      return parsed;
    },
    show: (value) => (value === undefined ? spec.fallbackText : shownUrl(value)),
  };
}

const percentEncode =
  "in a user name or password write # as %23, % as %25, / as %2F, : as %3A, ? as %3F and @ as %40";

/**
 * Whether part of a password may have been read as host or path. A raw `#`, `/` or `?` in the password ends the host too early,
 * and the `@` comes later. Looking up that host would show part of the password in messages and to DNS.
 */
function isMisread({ pathname, search, hash, username, password, hostname }: URL): boolean {
  if (hash !== "" || `${pathname}${search}`.includes("@")) return true;
  try {
    for (const part of [username, password, hostname, pathname]) decodeURIComponent(part);
    return false;
  } catch {
    return true;
  }
}

function shownUrl(value: URL): string {
  const shown = new URL(value);
  if (shown.password !== "") shown.password = "redacted";
  // Connection parameters may carry a password too (`?password=`).
  return shown.search === "" ? shown.href : `${shown.href.slice(0, -shown.search.length)}?redacted`;
}
