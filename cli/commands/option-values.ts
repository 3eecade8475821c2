import { InvalidArgumentError, Option } from "commander";
import { Failure } from "../../core/failure.ts";
import { parseSnapshotId, parseTenantId, parseTokenId } from "../../core/ids.ts";
import { singleLine } from "../../core/printable.ts";
import { durationMs, parseInstant } from "../../core/setting-parser.ts";
import type { Shard } from "../publish/run/shard.ts";
import { tokenFree } from "../shell/token-free.ts";

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
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
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

/** A parser of instants: a date and time, or a duration that begins `now`. */
export function instantAfter(now: () => Date): (text: string) => Date {
  return instantParser(now, 1, "a duration");
}

/** A parser of instants: a date and time, or a duration that ends `now`. */
export function instantBefore(now: () => Date): (text: string) => Date {
  return instantParser(now, -1, "how long ago");
}

function instantParser(now: () => Date, sign: 1 | -1, duration: string): (text: string) => Date {
  return (text) => {
    const instant = parseInstant(text) ?? new Date(now().getTime() + sign * durationMs(text));
    // Stored times and the keys of records hold years of four digits. No bound admits the invalid date of a text that is no duration.
    if (instant.getTime() >= Date.UTC(1000, 0) && instant.getTime() < Date.UTC(10_000, 0)) return instant;
    throw new InvalidArgumentError(
      `Expected a date and time of RFC 3339, like 2027-01-31T00:00:00Z, or ${duration}: 90d, 12h, 2w.`,
    );
  };
}

/** `--reason`, an option of every command that leaves a record below `audit/`. */
export function reasonOption(): Option {
  return new Option("--reason <text>", "why, for the audit").argParser(storedLine(500));
}

export interface ReasonFlag {
  readonly reason?: string;
}

/** The flags of a command that changes something for partners, beside its own. */
export interface ChangeFlags extends ReasonFlag {
  readonly json: boolean;
}
