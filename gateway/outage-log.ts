import type { Failure, FailureCode } from "../core/failure.ts";
import type { Logger } from "../core/logger.ts";

/** What the log says of something that is tried again and again, and may be away for hours. */
export interface OutageLog {
  /** A try failed. Says so at once for each code, and again after a minute of failures. */
  failed(failure: Failure, level?: "warn" | "debug"): void;
  /** A try succeeded. Says so if the log had said that tries failed. */
  succeeded(): void;
}

/** How both are said. */
export interface OutageTexts {
  readonly failed: string;
  readonly succeeded: string;
}

/**
 * Of one code two lines a minute at most, however often it is tried, how quickly it comes and goes, and however the cause
 * is worded: S3 puts the request's id into each (W90). `repeated` counts the failures since the line before.
 */
export function createOutageLog(
  logger: Logger,
  texts: OutageTexts,
  now: () => number,
  fields: () => Readonly<Record<string, string | undefined>> = () => ({}),
): OutageLog {
  const said = new Map<FailureCode, Said>();
  let isSaid = false;
  return {
    failed({ code, message }, level = "warn") {
      const before = said.get(code);
      if (before !== undefined && now() - before.atMs < everyMs) {
        before.unsaid += 1;
        return;
      }
      const repeated = before === undefined || before.unsaid === 0 ? {} : { repeated: before.unsaid };
      logger[level]({ ...fields(), causeCode: code, cause: message, ...repeated }, texts.failed);
      said.set(code, { atMs: now(), unsaid: 0 });
      isSaid = true;
    },
    succeeded() {
      if (isSaid) logger.info(fields(), texts.succeeded);
      isSaid = false;
    },
  };
}

/** The last line of a failure's code, and how many failures since. */
interface Said {
  readonly atMs: number;
  unsaid: number;
}

const everyMs = 60_000;
