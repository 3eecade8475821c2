import { type LogSource, openLog } from "./open-log.ts";
import { requestLine } from "./request-line.ts";
import { UsageTally } from "./usage-tally.ts";
import { wholeLines } from "./whole-lines.ts";

/** Counts every request of the logs. Streams: memory does not grow with them. */
export async function readUsage(logs: readonly LogSource[], signal: AbortSignal): Promise<UsageTally> {
  const tally = new UsageTally();
  for (const log of logs) {
    for await (const block of wholeLines(openLog(log, signal))) {
      for (const text of block.toString("utf8").split("\n")) {
        const line = requestLine(text);
        if (line !== undefined) tally.add(line);
      }
    }
  }
  return tally;
}
