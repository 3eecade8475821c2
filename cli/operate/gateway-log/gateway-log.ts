import { asFailure } from "../../../core/failure.ts";
import { type FoundRequests, findRequests } from "./find-requests.ts";
import { type LogSource, openLog, wholeLines } from "./open-log.ts";
import { type RecentAnswers, recentAnswers } from "./recent-answers.ts";

/** The gateways' logs, asked again and again by pages. */
export interface GatewayLog {
  /** The requests with this id, however old. */
  find(requestId: string): Promise<FoundRequests>;
  /** What partners got in the last hour. Pages that ask at once share one reading. */
  lastHour(now: Date): Promise<RecentAnswers>;
}

/** The newest 64 MB of a piped log are kept in memory. */
const maxBytes = 64 * 1024 * 1024;

/** Logs that may grow and be rotated. Standard input is read as it comes, until `signal` aborts. */
export function createGatewayLog(logs: readonly LogSource[], signal: AbortSignal): GatewayLog {
  const sources = logs.map((log) => (log.name === "-" ? { ...log, stdin: keptInput(log, signal) } : log));
  let reading: Promise<RecentAnswers> | undefined;
  return {
    find: (requestId) => findRequests(sources, requestId, signal),
    lastHour(now) {
      reading ??= recentAnswers(sources, now, signal).finally(() => {
        reading = undefined;
      });
      return reading;
    },
  };
}

/** A pipe brings each line once and may never end. Each reading of the result gets what has come until then. */
function keptInput(log: LogSource, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const blocks: Buffer[] = [];
  let bytes = 0;
  let failure: unknown;
  async function keep(): Promise<void> {
    for await (const block of wholeLines(openLog(log, signal))) {
      blocks.push(block);
      bytes += block.length;
      while (bytes > maxBytes) bytes -= blocks.shift()?.length ?? bytes;
    }
  }
  keep().catch((error: unknown) => {
    failure = asFailure(error);
  });
  return {
    async *[Symbol.asyncIterator]() {
      yield* [...blocks];
      if (failure !== undefined) throw failure;
    },
  };
}
