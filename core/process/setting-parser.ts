import { readFileSync, statSync } from "node:fs";
import { Failure } from "../ground/failure.ts";

/** The process environment, or a part of it, as plain data, so that parsing stays pure. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One setting: its public name, what it is for, and how its text becomes a trusted value. */
export interface Setting<Value> {
  readonly name: string;
  readonly about: string;
  /** The default as shown to people. It is never parsed. */
  readonly fallbackText: string;
  /** Called when the variable is unset or blank. The value may depend on other variables (`DATA_DIR`). */
  readonly fallback: (env: Environment) => Value;
  /** Throws a `SettingFault` that repeats no secret. `env`: whether another variable contradicts this. */
  readonly parse: (text: string, env: Environment) => Value;
  /** The effective value as `config` shows it, with secrets hidden. */
  readonly show: (value: Value) => string;
  /** Reads the text from the file that `NAME_FILE` names, if any. Used when the variable is unset. */
  readonly textInFile?: (env: Environment) => string | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: the table holds settings of all value types; `any` keeps the type of each
export type SettingTable = Readonly<Record<string, Setting<any>>>;

export type SettingValues<Table extends SettingTable> = {
  readonly [Key in keyof Table]: Table[Key] extends Setting<infer Value> ? Value : never;
};

/** What is wrong with one setting's text, as the end of a sentence that begins with the setting's name. */
export class SettingFault extends Error {}

export type ParsedSettings<Table extends SettingTable> =
  | { readonly ok: true; readonly values: SettingValues<Table> }
  /** Every fault at once, each a sentence that begins with the setting's name. */
  | { readonly ok: false; readonly faults: readonly string[] };

/** Turns untrusted text into trusted values, once, at the edge. */
export function parseSettings<const Table extends SettingTable>(
  table: Table,
  env: Environment,
): ParsedSettings<Table> {
  const values: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [key, setting] of Object.entries(table)) {
    const parsed = parseSetting(setting, env);
    if ("fault" in parsed) faults.push(parsed.fault);
    else values[key] = parsed.value;
  }
  if (faults.length > 0) return { ok: false, faults };
  return { ok: true, values: values as SettingValues<Table> };
}

/** Where a setting's text is. */
export type SettingOrigin = "environment" | "file" | "default";

export type ParsedSetting<Value> = { readonly origin: SettingOrigin } & (
  | { readonly value: Value }
  /** A sentence that begins with the setting's name. */
  | { readonly fault: string }
);

export function parseSetting<Value>(setting: Setting<Value>, env: Environment): ParsedSetting<Value> {
  const stated = settingText(setting.name, env);
  const text = stated ?? setting.textInFile?.(env);
  const origin = text === undefined ? "default" : stated === undefined ? "file" : "environment";
  try {
    return { origin, value: text === undefined ? setting.fallback(env) : setting.parse(text, env) };
  } catch (error) {
    if (!(error instanceof SettingFault)) throw error;
    return { origin, fault: `${setting.name} ${error.message}` };
  }
}

/** The variable's text without surrounding white space; `undefined` when unset or blank. */
export function settingText(name: string, env: Environment): string | undefined {
  const text = env[name]?.trim();
  return text === "" ? undefined : text;
}

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
  return fixed(fallback, (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new SettingFault(`must be a whole number from ${min} to ${max}`);
  });
}

/** A TCP port, or `off`, which gives `undefined`. 0 picks a free one. */
export function portOrOff(fallback: number | undefined): SettingKind<number | undefined> {
  const { parse } = integer(0, ports);
  return fixed(
    fallback,
    (text) => (text === "off" ? undefined : parse(text, {})),
    (value) => String(value ?? "off"),
  );
}

export const ports = { min: 0, max: 65_535 };

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
  const { parse } = choice(words[0], words);
  const isFirst = (text: string, env: Environment): boolean => parse(text, env) === words[0];
  return { fallbackText, fallback, parse: isFirst, show: (isOn) => words[isOn ? 0 : 1] };
}

/** Texts that are separated by commas. */
export function list(
  fallback: readonly string[],
  fallbackText: string,
  parse: (text: string) => string,
): SettingKind<readonly string[]> {
  return {
    fallbackText,
    fallback: () => fallback,
    parse: (text) => text.split(",").map((each) => parse(each.trim())),
    show: (values) => (values.length === 0 ? "none" : values.join(", ")),
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
  const parse = (text: string): Date => {
    const value = parseInstant(text);
    if (value !== undefined) return value;
    throw new SettingFault("must be a date and time of RFC 3339, like 2027-01-31T00:00:00Z");
  };
  const kind = optional(parse, (value) => value.toISOString(), fallback);
  return fallback === undefined ? kind : { ...kind, fallback: () => new Date(fallback) };
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

/** Hours, days of 24 hours, or weeks; else `NaN`. Months are refused, since their lengths differ. */
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

/** A setting that may also be a file's content, named by `NAME_FILE`: Docker and Kubernetes mount secrets. */
export function mayBeInFile<Value>(secret: Setting<Value>): Setting<Value> {
  return {
    ...secret,
    textInFile: (env) => {
      const path = settingText(`${secret.name}_FILE`, env);
      try {
        return path === undefined ? undefined : secretIn(path);
      } catch {
        // A file that cannot be read is the fault of `NAME_FILE`.
        return undefined;
      }
    },
  };
}

/** The setting `NAME_FILE` (P100). Faulty when the file is unreadable, or the variable `NAME` differs. */
export function secretFile(name: string): Setting<string | undefined> {
  return setting(
    `${name}_FILE`,
    `a file whose content is the value of \`${name}\`; it is read again for each new connection`,
    optional((path, env) => {
      const secret = secretIn(path);
      const stated = settingText(name, env);
      if (stated === undefined || stated === secret) return path;
      throw new SettingFault(`and ${name} say different things; unset one of them`);
    }),
  );
}

/**
 * The value for a new connection (P100): what the file at `path`, the value of `NAME_FILE`, says now. Without
 * such a file it is `atStart`. Throws `settings`.
 */
export function valueNow<Value>(secret: Setting<Value>, path: string | undefined, atStart: Value): Value {
  if (path === undefined) return atStart;
  let place = `${secret.name}_FILE`;
  try {
    const text = secretIn(path);
    place = `${secret.name}, in ${path},`;
    return secret.parse(text, {});
  } catch (error) {
    if (error instanceof SettingFault) throw new Failure("settings", `${place} ${error.message}.`);
    throw error;
  }
}

/** A larger file is no secret, but the path is wrong. */
const maxBytes = 16 * 1024;

/** The secret in the file. Throws a `SettingFault`, which never quotes the file. */
export function secretIn(path: string): string {
  let secret: string;
  try {
    const found = statSync(path);
    // A pipe gives its content once and may block for ever, and a device may have no end.
    if (!found.isFile()) throw new SettingFault("names a folder, a pipe or a device; name a regular file");
    if (found.size > maxBytes) throw new SettingFault(`names a file of over ${maxBytes} bytes`);
    // Editors and `echo` end a file with a line break, which is no part of the secret.
    secret = readFileSync(path, "utf8").trim();
  } catch (error) {
    if (error instanceof SettingFault) throw error;
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new SettingFault(`names a file that cannot be read (${reason})`);
  }
  if (secret === "") throw new SettingFault("names a file that is empty");
  if (/\p{Cc}/u.test(secret)) throw new SettingFault("names a file of more than one line");
  return secret;
}
