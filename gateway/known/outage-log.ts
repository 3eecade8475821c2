import type { Failure, FailureCode } from "../../core/ground/failure.ts";
import type { Logger } from "../../core/process/logger.ts";

/** The log lines about something that is tried again and again, and may fail for hours. */
export type OutageLog = ReturnType<typeof createOutageLog>;

/** The messages of both lines. */
export interface OutageTexts {
  readonly failed: string;
  readonly succeeded: string;
}

/**
 * Writes at most two lines a minute per failure code, however often the tries fail and succeed (W90). Codes
 * are compared and not messages, since S3 puts a request id into each message. `repeated` counts the failures
 * since the last line.
 */
export function createOutageLog(
  logger: Logger,
  texts: OutageTexts,
  now: () => number,
  fields: () => Readonly<Record<string, string | undefined>> = () => ({}),
) {
  const lastLines = new Map<FailureCode, LastLine>();
  let isFailureLogged = false;
  return {
    /** A try failed. The first failure of a code is logged at once, then one per minute. */
    failed({ code, message }: Failure, level: "warn" | "debug" = "warn"): void {
      const before = lastLines.get(code);
      if (before !== undefined && now() - before.atMs < everyMs) {
        before.unlogged += 1;
        return;
      }
      const repeated = before === undefined || before.unlogged === 0 ? {} : { repeated: before.unlogged };
      logger[level]({ ...fields(), causeCode: code, cause: message, ...repeated }, texts.failed);
      lastLines.set(code, { atMs: now(), unlogged: 0 });
      isFailureLogged = true;
    },
    /** A try succeeded. This is logged if failures were logged before. */
    succeeded(): void {
      if (isFailureLogged) logger.info(fields(), texts.succeeded);
      isFailureLogged = false;
    },
  };
}

/** The last line for a failure code, and the number of failures since. */
interface LastLine {
  readonly atMs: number;
  unlogged: number;
}

const everyMs = 60_000;
