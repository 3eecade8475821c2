import { asFailure } from "../../../core/failure.ts";
import { type LogSource, openLog } from "./open-log.ts";
import {
  type GatewayNote,
  gatewayNote,
  type RequestLogLine,
  requestLine,
  requestsIn,
} from "./request-line.ts";
import { wholeLines } from "./whole-lines.ts";

export interface FoundRequests {
  /** In the order of the logs. There may be several, since a client may use an id more than once. */
  readonly requests: readonly LoggedRequest[];
  /** How many more were found beyond the bound. */
  readonly omitted: number;
  /** The times of the first and the last request in the logs; `null` when they have none. */
  readonly covers: { readonly from: string; readonly to: string } | null;
  /** Why some logs could not be read to their end. What was read of them counts. */
  readonly faults: readonly string[];
}

/** A request, and the gateway's last note about its store before it in the same log, or `null`. */
export interface LoggedRequest {
  readonly line: RequestLogLine;
  readonly gateway: GatewayNote | null;
}

/** A client may send one id with every request; then so many of them are enough. */
const maxFound = 20;

/** Finds the requests with this id. The logs are streamed, so memory does not grow with them. */
export async function findRequests(
  logs: readonly LogSource[],
  requestId: string,
  signal: AbortSignal,
): Promise<FoundRequests> {
  const found: LoggedRequest[] = [];
  const faults: string[] = [];
  let omitted = 0;
  let from: string | undefined;
  let to: string | undefined;
  // JSON escapes nothing in an id, which has only [A-Za-z0-9._-] and perhaps `[token]`, so its bytes can be searched for.
  const needle = Buffer.from(requestId);
  for (const log of logs) {
    let last: Buffer | undefined;
    let gateway: GatewayNote | null = null;
    try {
      for await (const block of wholeLines(openLog(log, signal))) {
        from ??= requestsIn(block)[0]?.time;
        last = block;
        const hasNote = block.includes(noteMark);
        if (!hasNote && !block.includes(needle)) continue;
        for (const text of block.toString("utf8").split("\n")) {
          if (hasNote && text.includes(noteMark)) gateway = gatewayNote(text) ?? gateway;
          const line = text.includes(requestId) ? requestLine(text) : undefined;
          if (line?.requestId !== requestId) continue;
          if (found.length < maxFound) found.push({ line, gateway });
          else omitted += 1;
        }
      }
    } catch (error) {
      const { code, message } = asFailure(error);
      // One log that is cut off must not keep the others from being looked through.
      if (code !== "usage" || logs.length === 1) throw error;
      faults.push(message);
    }
    to = (last && requestsIn(last).at(-1)?.time) ?? to;
  }
  const covers = from === undefined || to === undefined ? null : { from, to };
  return { requests: found, omitted, covers, faults };
}

/** Every note of a gateway about its store has this text. */
const noteMark = '"storeId":';
