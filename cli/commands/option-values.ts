import { Failure } from "../../core/ground/failure.ts";
import { singleLine } from "../../core/ground/printable.ts";
import { durationMs, parseInstant } from "../../core/process/setting-parser.ts";
import { readerOf } from "../output/layout.ts";
import { tokenFree } from "../output/safe-output.ts";
import type { Reader } from "../output/words.ts";
import type { Shard } from "../publish/snapshot/stored-tenants.ts";
import type { LogSource } from "../read/gateway-log/open-log.ts";
import { type Shell, settingsOf } from "../shell/shell.ts";
import { asText, expecting, repeated, value } from "./command.ts";

/** A parser of whole numbers; `max` has at most nine digits. */
export function wholeNumber(min: number, max: number) {
  return expecting(`a whole number from ${min} to ${max}.`, (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  });
}

/** `K/N`: the K-th of N parts of all tenants. */
export const asShard = expecting("K/N, such as 1/3: the first of three parts.", (text): Shard | undefined => {
  const [index = 0, count = 0] = (/^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text) ?? []).slice(1).map(Number);
  return index >= 1 && index <= count ? { index, count } : undefined;
});

/** A parser of texts that are stored and shown in lists, so they are one line and hold no token (T4). */
export function storedLine(maxLength: number) {
  const what = `1 to ${maxLength} characters on one line. Control characters and plaintexts of tokens are not taken.`;
  return expecting(what, (text) => {
    const isPlain = singleLine(text) === text && tokenFree(text) === text;
    return text.trim() !== "" && text.length <= maxLength && isPlain ? text : undefined;
  });
}

/** A program's id as the source writes it. Ill-formed ids pass, since the command's answer is about them. */
export const sourceProgramId = expecting("a program id.", (text) =>
  text !== "" && text.length <= 500 ? text : undefined,
);

/** The forms that `instantAfter` reads, for a help text. */
export const instantForms = "a date and time of RFC 3339, or from now: 90d, 12h, 2w";

/** A date and time, or a duration that begins now. */
export const instantAfter = instant(1, "a duration");

/** A date and time, or a duration that ends now. */
export const instantBefore = instant(-1, "how long ago");

function instant(sign: 1 | -1, duration: string) {
  const what = `a date and time of RFC 3339, like 2027-01-31T00:00:00Z, or ${duration}: 90d, 12h, 2w.`;
  return expecting(what, (text, { now }) => {
    const instant = parseInstant(text) ?? new Date(now().getTime() + sign * durationMs(text));
    // Stored times and keys of records have years of four digits. No bound admits an invalid date.
    const isStorable = instant.getTime() >= Date.UTC(1000, 0) && instant.getTime() < Date.UTC(10_000, 0);
    return isStorable ? instant : undefined;
  });
}

/** `--reason`, an option of every command that leaves a record below `audit/`. */
export const reason = value("<text>", "why, for the audit", storedLine(500));

/** `--build-within`: a tenant unbuilt for so long is silent (P53). No store says how often builds come. */
export const buildWithin = value(
  "<duration>",
  "the time within which a build of each tenant is expected: 2h, 2d (default: 26h)",
  expecting("a duration: 26h, 2d.", (text) => {
    const ms = durationMs(text);
    return ms > 0 ? ms : undefined;
  }),
);

/** The reader of what support commands judge, with what the installation's settings allow (P208). */
export function supportReader(shell: Shell, buildWithinMs: number | undefined): Reader {
  const { tokenMaxLifetimeMs } = settingsOf(shell);
  return readerOf(shell, { buildWithinMs, tokenMaxLifetimeMs });
}

/** `--log FILE`. It may be repeated, because a log that was rotated is several files. */
export function logFlag(purpose = "may be repeated (required unless PARTNER_PROGRAMS_LOG names one)") {
  return repeated(
    "<file>",
    `the gateway's log; - is standard input; .gz is read as it is; ${purpose}`,
    asText,
  );
}

/** The logs that `--log` names; without `--log`, the one that `PARTNER_PROGRAMS_LOG` names, if it is set. */
export function namedLogs(shell: Shell, named: readonly string[] | undefined): readonly LogSource[] {
  const { logFile } = settingsOf(shell);
  return (named ?? (logFile === undefined ? [] : [logFile])).map((name) => ({ name, stdin: shell.stdin }));
}

/** Like `namedLogs`, but throws `usage` when no log is named. */
export function logSources(shell: Shell, named: readonly string[] | undefined): readonly LogSource[] {
  const sources = namedLogs(shell, named);
  if (sources.length > 0) return sources;
  throw new Failure("usage", "Which log? Pass --log FILE, or set PARTNER_PROGRAMS_LOG.");
}
