import { type LogSource, readLogs } from "./open-log.ts";
import { type RequestLogLine, requestLine } from "./request-line.ts";

export type FoundRequests = Awaited<ReturnType<typeof findRequests>>;

/** A client may send one id with every request; then so many of them are enough. */
const maxFound = 20;

/**
 * Finds the requests with this id, in the order of the logs. The logs are streamed, so memory does not grow
 * with them. `omitted`: how many more were found beyond the bound; `covers`: the times of the first and the
 * last request in the logs, `null` when they have none; `faults`: why some logs could not be read to their
 * end. What was read of them counts.
 */
export async function findRequests(logs: readonly LogSource[], requestId: string, signal: AbortSignal) {
  const found: RequestLogLine[] = [];
  let omitted = 0;
  let [from, to] = ["", ""];
  // JSON escapes nothing in an id ([A-Za-z0-9._-], perhaps `[token]`), so its bytes can be searched for.
  const needle = Buffer.from(requestId);
  const take = (block: Buffer): void => {
    const { first, last } = endTimes(block);
    if (from === "" || (first !== "" && first < from)) from = first;
    if (last > to) to = last;
    if (!block.includes(needle)) return;
    for (const text of block.toString("utf8").split("\n")) {
      const line = text.includes(requestId) ? requestLine(text) : undefined;
      if (line?.requestId !== requestId) continue;
      if (found.length < maxFound) found.push(line);
      else omitted += 1;
    }
  };
  const faults = await readLogs(logs, take, signal);
  return { requests: found, omitted, covers: to === "" ? null : { from, to }, faults };
}

/** The first and last request's times in the lines, empty without any. Only the ends are parsed. */
function endTimes(lines: Buffer) {
  let [first, last] = ["", ""];
  for (let at = 0; at < lines.length && first === ""; ) {
    const end = lines.indexOf(0x0a, at) === -1 ? lines.length : lines.indexOf(0x0a, at);
    first = requestLine(lines.toString("utf8", at, end))?.time ?? "";
    at = end + 1;
  }
  for (let end = lines.length; end > 0 && last === "" && first !== ""; ) {
    const start = lines.lastIndexOf(0x0a, end - 2) + 1;
    last = requestLine(lines.toString("utf8", start, end))?.time ?? "";
    end = start;
  }
  return { first, last };
}

/**
 * The id in a text that was copied from a header, an error body or a mail, without the spaces, quotes and
 * commas around it. No id contains any of these (W40).
 */
export function requestIdIn(typed: string): string {
  return trimmed(typed, /[\s"'`,;‘’‚“”„«»‹›]/u);
}

/** The text without such characters at both ends. */
export function trimmed(text: string, around: RegExp): string {
  let [from, to] = [0, text.length];
  while (from < to && around.test(text[from] ?? "")) from += 1;
  while (from < to && around.test(text[to - 1] ?? "")) to -= 1;
  return text.slice(from, to);
}

/**
 * Whether an id can be in the gateway's log: a client's id that the gateway keeps has this form (W40), and so
 * has an id of its own. The brackets are for `[token]`, which replaces the plaintext of a token within an id.
 */
export function isKeptRequestId(requestId: string): boolean {
  return /^[A-Za-z0-9._[\]-]{1,128}$/.test(requestId);
}
