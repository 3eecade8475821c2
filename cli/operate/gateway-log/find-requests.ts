import type { LogSource } from "./open-log.ts";
import { type RequestLogLine, requestLine } from "./request-line.ts";
import { readLogs } from "./whole-lines.ts";

export interface FoundRequests {
  /** In the order of the logs. There may be several, since a client may use an id more than once. */
  readonly requests: readonly RequestLogLine[];
  /** How many more were found beyond the bound. */
  readonly omitted: number;
  /** The times of the first and the last request in the logs; `null` when they have none. */
  readonly covers: { readonly from: string; readonly to: string } | null;
  /** Why some logs could not be read to their end. What was read of them counts. */
  readonly faults: readonly string[];
}

/** A client may send one id with every request; then so many of them are enough. */
const maxFound = 20;

/** Finds the requests with this id. The logs are streamed, so memory does not grow with them. */
export async function findRequests(
  logs: readonly LogSource[],
  requestId: string,
  signal: AbortSignal,
): Promise<FoundRequests> {
  const found: RequestLogLine[] = [];
  let omitted = 0;
  let from: string | undefined;
  let to: string | undefined;
  // JSON escapes nothing in an id, which has only [A-Za-z0-9._-] and perhaps `[token]`, so its bytes can be searched for.
  const needle = Buffer.from(requestId);
  const take = (block: Buffer): void => {
    const { first, last } = endTimes(block);
    if (first !== undefined && (from === undefined || first < from)) from = first;
    if (last !== undefined && (to === undefined || last > to)) to = last;
    if (!block.includes(needle)) return;
    for (const text of block.toString("utf8").split("\n")) {
      const line = text.includes(requestId) ? requestLine(text) : undefined;
      if (line?.requestId !== requestId) continue;
      if (found.length < maxFound) found.push(line);
      else omitted += 1;
    }
  };
  const faults = await readLogs(logs, take, signal);
  const covers = from === undefined || to === undefined ? null : { from, to };
  return { requests: found, omitted, covers, faults };
}

/** The times of the first and the last request in the lines. Only the lines at both ends are parsed. */
function endTimes(lines: Buffer) {
  let first: string | undefined;
  for (let at = 0; at < lines.length && first === undefined; ) {
    const end = lines.indexOf(0x0a, at) === -1 ? lines.length : lines.indexOf(0x0a, at);
    first = requestLine(lines.toString("utf8", at, end))?.time;
    at = end + 1;
  }
  let last: string | undefined;
  for (let end = lines.length; end > 0 && last === undefined && first !== undefined; ) {
    const start = lines.lastIndexOf(0x0a, end - 2) + 1;
    last = requestLine(lines.toString("utf8", start, end))?.time;
    end = start;
  }
  return { first, last };
}
