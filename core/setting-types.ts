import { parsedUrl } from "./parsed-url.ts";
import { type Environment, type Setting, SettingFault } from "./setting-parser.ts";

/** What settings of one kind have in common: everything but their name and what they are for. */
export type SettingKind<Value> = Omit<Setting<Value>, "name" | "about">;

export function setting<Value>(name: string, about: string, kind: SettingKind<Value>): Setting<Value> {
  return { name, about, ...kind };
}

/** A kind with a default that is always the same. */
function fixed<Value>(
  fallback: Value,
  parse: (text: string) => Value,
  show: (value: Value) => string = String,
): SettingKind<Value> {
  return { fallbackText: show(fallback), fallback: () => fallback, parse, show };
}

export function integer(
  fallback: number,
  { min, max }: { readonly min: number; readonly max: number },
): SettingKind<number> {
  const fault = `must be a whole number from ${min} to ${max}`;
  return fixed(fallback, (text) => wholeNumber(text, min, max, fault));
}

/** A TCP port; 0 picks a free one. */
export function port(fallback: number): SettingKind<number> {
  return fixed(fallback, (text) => portNumber(text, "must be a port from 0 to 65535"));
}

/** A TCP port, or `off`, which gives `undefined`. */
export function portOrOff(fallback: number | undefined): SettingKind<number | undefined> {
  const fault = "must be a port from 0 to 65535 or off";
  return fixed(
    fallback,
    (text) => (text === "off" ? undefined : portNumber(text, fault)),
    (value) => String(value ?? "off"),
  );
}

function portNumber(text: string, fault: string): number {
  return wholeNumber(text, 0, 65_535, fault);
}

function wholeNumber(text: string, min: number, max: number, fault: string): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new SettingFault(fault);
}

export function choice<const Word extends string>(
  fallback: NoInfer<Word>,
  words: readonly Word[],
): SettingKind<Word> {
  return fixed<Word>(fallback, (text) => {
    const word = words.find((candidate) => candidate === text);
    if (word !== undefined) return word;
    throw new SettingFault(`must be one of ${words.join(", ")}`);
  });
}

/** The address of a listener, on loopback unless configured otherwise. */
export const listenerHost: SettingKind<string> = fixed("127.0.0.1", parseHost);

/** Throws a `SettingFault` unless the text may be an IP address or a host name. */
export function parseHost(name: string): string {
  if (/^[A-Za-z0-9._:%-]+$/.test(name)) return name;
  throw new SettingFault("must be an IP address or a host name");
}

/** One of two words, the first of which means `true`. */
export function flag(
  words: readonly [string, string],
  fallbackText: string,
  fallback: (env: Environment) => boolean,
): SettingKind<boolean> {
  return {
    fallbackText,
    fallback,
    parse: (word) => {
      if (words.includes(word)) return word === words[0];
      throw new SettingFault(`must be ${words.join(" or ")}`);
    },
    show: (isOn) => words[isOn ? 0 : 1],
  };
}

/** A kind without a default. */
export function optional<Value>(
  parse: (text: string, env: Environment) => Value,
  show: (value: Value) => string = String,
  fallbackText = "none",
): SettingKind<Value | undefined> {
  return {
    fallbackText,
    fallback: () => undefined,
    parse,
    show: (value) => (value === undefined ? fallbackText : show(value)),
  };
}

/** A date and time of RFC 3339, or none. */
export function instant(fallback: string | undefined): SettingKind<Date | undefined> {
  return {
    fallbackText: fallback ?? "none",
    fallback: () => (fallback === undefined ? undefined : new Date(fallback)),
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
export const duration: SettingKind<number | undefined> = optional(
  (text) => {
    const ms = durationMs(text);
    if (ms > 0) return ms;
    throw new SettingFault("must be a number of hours, days or weeks, like 12h, 90d or 26w");
  },
  (ms) => (ms % (24 * hourMs) === 0 ? `${ms / (24 * hourMs)}d` : `${ms / hourMs}h`),
);

/** A URL of one of the given schemes. Its password, if any, is never shown. */
export function url(schemes: readonly string[], fallbackText: string): SettingKind<URL | undefined> {
  const parse = (text: string): URL => {
    const parsed = parseUrl(text, schemes);
    if (parsed.hostname === "") throw new SettingFault("names no host");
    return parsed;
  };
  return optional(parse, shownUrl, fallbackText);
}

/** Throws a `SettingFault`, which does not repeat the text, since that may hold a password. */
export function parseUrl(text: string, schemes: readonly string[]): URL {
  const parsed = parsedUrl(text);
  if (parsed === undefined) throw new SettingFault(`is not a URL; ${percentEncode}`);
  const { protocol } = parsed;
  // `postgres:secret` is a valid URL without a host.
  if (!schemes.includes(protocol) || !text.slice(protocol.length).startsWith("//")) {
    throw new SettingFault(`must begin with ${schemes.map((scheme) => `${scheme}//`).join(" or ")}`);
  }
  if (isMisread(parsed)) throw new SettingFault(`is ambiguous; ${percentEncode}`);
  return parsed;
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

/** The URL without its password and its parameters, one of which may be a password. */
export function shownUrl(value: URL): string {
  const shown = new URL(value);
  if (shown.password !== "") shown.password = "redacted";
  // Connection parameters may carry a password too (`?password=`).
  return shown.search === "" ? shown.href : `${shown.href.slice(0, -shown.search.length)}?redacted`;
}
