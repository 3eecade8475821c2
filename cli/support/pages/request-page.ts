import { Failure } from "../../../core/ground/failure.ts";
import { type Html, html } from "../../output/html.ts";
import { numberText, type Reader } from "../../output/words.ts";
import { type FoundRequests, requestIdIn } from "../../read/gateway-log/find-requests.ts";
import { type ExplainedRequest, explainRequests } from "../explain-requests.ts";
import { partnerMessage } from "../judgement/request.ts";
import { describedRequest, requestTone } from "../texts/request.ts";
import { homeTrail, type Inspection, type Page } from "./page.ts";
import { command, describedList, logNotices, notice, section, stepList } from "./parts.ts";

/** Why a request was answered so, and what to tell the partner: all of one id, the newest first. */
export async function requestPage(typed: string, inspection: Inspection): Promise<Page> {
  const { log } = inspection;
  const requestId = requestIdIn(typed);
  const title = `Request ${requestId}`;
  if (log === undefined) {
    const main = html`<h1>Request</h1>
<p>This page is made from the gateway’s log. Whoever runs this server names it: ${command("inspect --log FILE")}</p>`;
    return { status: 200, title, trail: homeTrail, main };
  }
  const reader = inspection.reader();
  const found = await log.find(requestId);
  if (found.requests.length === 0) throw notInLog(requestId, found);
  const newest = found.requests.toSorted((a, b) => (a.time < b.time ? 1 : -1)).slice(0, 10);
  const requests = await explainRequests(newest, { ...inspection, reader });
  const total = found.requests.length + found.omitted;
  const main = html`<h1>Request <bdi>${requestId}</bdi></h1>
${logNotices(found)}
${total > 1 && notice("neutral", html`<p>The id stands in ${numberText(total)} requests, since clients choose the ids.${total > requests.length && ` ${requests.length} of them are shown.`}</p>`)}
${requests.map((request, at) => requestSection(request, requests.length === 1 ? "" : String(at + 1), reader))}`;
  return { status: 200, title, trail: homeTrail, main };
}

function notInLog(requestId: string, { covers, faults }: FoundRequests): Failure {
  const span = covers === null ? "it has none yet" : `it covers ${covers.from} to ${covers.to}`;
  const unread = faults.map((fault) => ` Some data could not be read: ${fault}`).join("");
  return new Failure("not_found", `The log has no request ${requestId}; ${span}.${unread} Check the id.`);
}

function requestSection(request: ExplainedRequest, number: string, reader: Reader): Html {
  const { line, summary, next } = request;
  const message = `message${number}`;
  return section(
    `what${number}`,
    number === "" ? "What happened" : `What happened, ${number}`,
    html`${notice(requestTone(line), html`<p>${summary}</p>`)}
<h3>What to do next</h3>
${stepList(next.steps)}
<div class="message"><label for="${message}">To send to the partner</label>
<textarea id="${message}" rows="4" readonly>${partnerMessage(request, reader.now)}</textarea></div>
${describedList(describedRequest(request, reader.now), reader)}`,
  );
}
