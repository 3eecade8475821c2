import { InvalidArgumentError } from "commander";
import { Failure } from "../../core/failure.ts";
import { parseSnapshotId, parseTenantId, parseTokenId } from "../../core/ids.ts";
import { singleLine } from "../../core/printable.ts";
import { durationMs, parseInstant } from "../../core/setting-parser.ts";
import type { LogSource } from "../operate/gateway-log/open-log.ts";
import type { Shard } from "../publish/snapshot/stored-tenants.ts";
import type { CliSettings, Shell } from "../shell/shell.ts";
import { tokenFree } from "../shell/token-free.ts";
import { asText, repeated, value } from "./command.ts";

/** Turns a parser that throws `Failure` into one for commander, which adds the option's name to the message about wrong usage. */
export function parsedOption<Value>(parse: (text: string) => Value): (text: string) => Value {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof Failure) throw new InvalidArgumentError(error.message);
      throw error;
    }
  };
}

export const asTenantId = parsedOption(parseTenantId);
export const asSnapshotId = parsedOption(parseSnapshotId);
export const asTokenId = parsedOption(parseTokenId);

/** A parser of whole numbers; `max` has at most nine digits. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
  };
}

/** `K/N`: the K-th of N parts of all tenants. */
export function asShard(text: string): Shard {
  const [index = 0, count = 0] = (/^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text) ?? []).slice(1).map(Number);
  if (index >= 1 && index <= count) return { index, count };
  throw new InvalidArgumentError("Expected K/N, such as 1/3: the first of three parts.");
}

/** A parser of texts that are stored and shown in lists, so they are one line and hold no token (T4). */
export function storedLine(maxLength: number): (text: string) => string {
  return (text) => {
    const isPlain = singleLine(text) === text && tokenFree(text) === text;
    if (text.trim() !== "" && text.length <= maxLength && isPlain) return text;
    throw new InvalidArgumentError(
      `Expected 1 to ${maxLength} characters on one line. Control characters and plaintexts of tokens are not taken.`,
    );
  };
}

/** A program's id as the source writes it. Ill-formed ids pass, since the command's answer is about them. */
export function sourceProgramId(text: string): string {
  if (text !== "" && text.length <= 500) return text;
  throw new InvalidArgumentError("Expected a program id.");
}

/** The forms that `instantAfter` reads, for a help text. */
export const instantForms = "a date and time of RFC 3339, or from now: 90d, 12h, 2w";

/** A date and time, or a duration that begins now. */
export function instantAfter(text: string, shell: Shell): Date {
  return instantIn(text, shell, 1, "a duration");
}

/** A date and time, or a duration that ends now. */
export function instantBefore(text: string, shell: Shell): Date {
  return instantIn(text, shell, -1, "how long ago");
}

function instantIn(text: string, { now }: Shell, sign: 1 | -1, duration: string): Date {
  const instant = parseInstant(text) ?? new Date(now().getTime() + sign * durationMs(text));
  // Stored times and the keys of records hold years of four digits. No bound admits the invalid date of a text that is no duration.
  if (instant.getTime() >= Date.UTC(1000, 0) && instant.getTime() < Date.UTC(10_000, 0)) return instant;
  throw new InvalidArgumentError(
    `Expected a date and time of RFC 3339, like 2027-01-31T00:00:00Z, or ${duration}: 90d, 12h, 2w.`,
  );
}

/** `--reason`, an option of every command that leaves a record below `audit/`. */
export const reason = value("<text>", "why, for the audit", storedLine(500));

/** `--build-within`: a tenant without a build for that time is told as silent (P53). The store does not say how often builds come. */
export const buildWithin = value(
  "<duration>",
  "the time within which a build of each tenant is expected: 2h, 2d (default: 26h)",
  (text) => {
    const ms = durationMs(text);
    if (ms > 0) return ms;
    throw new InvalidArgumentError("Expected a duration: 26h, 2d.");
  },
);

/** `--log FILE`. It may be repeated, because a log that was rotated is several files. */
export function logFlag(purpose = "may be repeated (required unless PARTNER_PROGRAMS_LOG names one)") {
  return repeated(
    "<file>",
    `the gateway's log; - is standard input; .gz is read as it is; ${purpose}`,
    asText,
  );
}

/** The logs that `--log` names; without `--log`, the one that `PARTNER_PROGRAMS_LOG` names, if it is set. */
export function namedLogs(
  { stdin }: Shell,
  { logFile }: CliSettings,
  named: readonly string[] | undefined,
): readonly LogSource[] {
  return (named ?? (logFile === undefined ? [] : [logFile])).map((name) => ({ name, stdin }));
}

/** Like `namedLogs`, but throws `usage` when no log is named. */
export function logSources(
  shell: Shell,
  settings: CliSettings,
  named: readonly string[] | undefined,
): readonly LogSource[] {
  const sources = namedLogs(shell, settings, named);
  if (sources.length > 0) return sources;
  throw new Failure("usage", "Which log? Pass --log FILE, or set PARTNER_PROGRAMS_LOG.");
}
