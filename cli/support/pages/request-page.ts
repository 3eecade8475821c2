import { Failure } from "../../../core/failure.ts";
import { requestIdIn } from "../../operate/gateway-log/typed-request-id.ts";
import type { LogState } from "../../operate/log-index/request-log.ts";
import { numberText } from "../../output/counted.ts";
import { type Html, html } from "../../output/html.ts";
import type { Reader } from "../../output/times.ts";
import { type ExplainedRequest, explainRequests } from "../explain.ts";
import { partnerMessage } from "../judgement/request.ts";
import { requestTone } from "../texts/request.ts";
import { requestFacts } from "../texts/request-facts.ts";
import { requestsPath } from "./addresses.ts";
import { homeTrail } from "./page.ts";
import { describedFacts, notice, stepList } from "./parts.ts";
import { requestsWithoutLog } from "./requests-page.ts";
import { route } from "./route.ts";

/** At most this many requests of one id are shown, since a client may send the same id with every request. */
const maxShown = 10;

/** Why a request was answered as it was, and what to tell the partner: all requests of one id, the newest first. */
export const requestRoute = route("/requests/:request", async ({ request: typed }, inspection) => {
  const { log, signal } = inspection;
  if (log === undefined) return requestsWithoutLog();
  const reader = inspection.reader();
  const requestId = requestIdIn(typed);
  await log.refresh();
  const { lines, total } = await log.index.find({ filter: { requestId }, limit: maxShown }, signal);
  if (lines.length === 0) throw notInLog(requestId, log.state());
  const logged = lines.map((line) => ({ line }));
  const requests = await explainRequests(logged, { ...inspection, reader });
  const main = html`<h1>Request <bdi>${requestId}</bdi></h1>
${total > 1 && notice("neutral", html`<p>The id stands in ${numberText(total)} requests: ${usersOf(requests)}.${total > requests.length && ` The newest ${requests.length} are shown.`}</p>`)}
${requests.map((request, at) => section(request, requests.length === 1 ? "" : String(at + 1), reader))}`;
  const trail = [...homeTrail, { text: "Requests", path: requestsPath }];
  return { status: 200, title: requestId, trail, main };
});

function notInLog(requestId: string, { covers, progress, isDropping, faults }: LogState): Failure {
  const span = covers === null ? "it has none yet" : `it covers ${covers.from} to ${covers.to}`;
  const reading = progress < 1 ? " It is still being read, the newest first." : "";
  const dropped = isDropping ? " Its oldest requests were dropped." : "";
  const unread = faults.map((fault) => ` Some data could not be read: ${fault}`).join("");
  const message = `The log has no request ${requestId}; ${span}.${reading}${dropped}${unread} Check the id.`;
  return new Failure("not_found", message);
}

function section(request: ExplainedRequest, number: string, reader: Reader): Html {
  const { line, summary, next } = request;
  const id = (name: string): string => `${name}${number}`;
  const heading = number === "" ? "What happened" : `What happened, ${number}`;
  return html`<section aria-labelledby="${id("what")}"><h2 id="${id("what")}">${heading}</h2>
${notice(requestTone(line), html`<p>${summary}</p>`)}
<h3>What to do next</h3>
${stepList(next.steps)}
<div class="message"><label for="${id("message")}">To send to the partner</label>
<textarea id="${id("message")}" rows="4" readonly>${partnerMessage(request, reader.now)}</textarea></div>
${describedFacts(requestFacts(request, reader.now), reader)}</section>`;
}

/** Clients choose the ids of requests, so two clients may use the same one. */
function usersOf(requests: readonly ExplainedRequest[]): string {
  const keys = new Set(requests.map(({ line }) => line.tokenId ?? line.tenantId));
  return keys.size > 1 ? "several clients use it, each of its own" : "the client uses one for several";
}
