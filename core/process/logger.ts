import { type DestinationStream, type Logger, pino } from "pino";

export type { Logger };

/**
 * A logger of JSON lines with RFC 3339 times. Callers log an allow-list of fields: never headers, raw errors
 * of libraries or whole objects, since pino's redaction knows only exact paths.
 */
export function createLogger(options: {
  readonly level: string;
  readonly program: string;
  readonly destination: DestinationStream;
}): Logger {
  const { level, program, destination } = options;
  return pino(
    { level, base: { program }, timestamp: isoTime, formatters: { level: (label) => ({ level: label }) } },
    destination,
  );
}

let stampedAt = 0;
let stamp = "";

/** RFC 3339 in UTC, made once a millisecond: formatting the time is a large part of writing a line. */
function isoTime(): string {
  const now = Date.now();
  if (now !== stampedAt) {
    stampedAt = now;
    stamp = `,"time":"${new Date(now).toISOString()}"`;
  }
  return stamp;
}
