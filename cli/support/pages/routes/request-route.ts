import { Failure } from "../../../../core/failure.ts";
import { requestIdIn } from "../../../operate/gateway-log/typed-request-id.ts";
import { explainRequests } from "../../request/explain-request.ts";
import type { Inspection } from "../inspection.ts";
import type { Page } from "../page.ts";
import { requestPage } from "../request-page.ts";
import { requestsWithoutLog } from "../requests-page.ts";
import { route } from "../route.ts";

export const requestRoute = route({
  pattern: "/requests/:request",
  parse: ({ request }) => request,
  page,
});

async function page(typed: string, { log, store, database, now, signal }: Inspection): Promise<Page> {
  if (log === undefined) return requestsWithoutLog();
  const requestId = requestIdIn(typed);
  await log.refresh();
  const { lines, total } = await log.index.find({ filter: { requestId }, limit: maxShown }, signal);
  if (lines.length === 0) {
    const { covers, progress, isDropping, faults } = log.state();
    const span = covers === null ? "it has none yet" : `it covers ${covers.from} to ${covers.to}`;
    const reading = progress < 1 ? " It is still being read." : "";
    const dropped = isDropping ? " Its oldest requests were dropped." : "";
    const unread = faults.map((fault) => ` Not all of it could be read: ${fault}`).join("");
    throw new Failure(
      "not_found",
      `The log has no request ${requestId}; ${span}.${reading}${dropped}${unread} Check the id.`,
    );
  }
  const requests = await explainRequests(lines.slice(0, maxShown), {
    store,
    database,
    now: now(),
    signal,
  });
  return requestPage({ requestId, requests, total }, now());
}

/** A client that sends one id with every request is not worth a section each. */
const maxShown = 10;
