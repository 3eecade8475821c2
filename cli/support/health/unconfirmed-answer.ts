import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import type { RequestLog } from "../../operate/log-index/request-log.ts";

/**
 * W162: the newest answer that gateways gave lately without being able to confirm what they served; `undefined` when there is
 * none. Only their log tells of it: the store may answer here while a gateway has lost it.
 */
export async function unconfirmedAnswer(
  log: RequestLog,
  now: Date,
  signal: AbortSignal,
): Promise<RequestLogLine | undefined> {
  await log.refresh();
  const filter = { status: { from: 200, to: 200 }, fromMs: now.getTime() - latelyMs };
  const { lines } = await log.index.find({ filter, limit: maxLines }, signal);
  return lines.find(({ unconfirmedSince }) => unconfirmedSince !== null);
}

const latelyMs = 60_000;
/** Enough for one gateway of several that has lost its store. */
const maxLines = 100;
