import { type Html, html } from "../../output/html.ts";
import type { Reader } from "../../output/times.ts";
import { type Certificate, createCertifier } from "../../partners/certify/certificate.ts";
import type { Finding, Verdict } from "../../partners/certify/rule.ts";
import { clientPath, home, requestPath, requestsOf, tokensPath } from "./addresses.ts";
import type { Page } from "./page.ts";
import { badge, dataTable, notice, type Tone, time } from "./parts.ts";
import { requestsWithoutLog } from "./requests-page.ts";
import type { Inspection } from "./route.ts";
import { route } from "./route.ts";

/** How well a partner's client behaves, by the newest requests of the log. */
export interface ClientView {
  readonly certificate: Certificate;
  readonly isDirect: boolean;
  /** Requests of the token that the log has, also those that were not looked at. */
  readonly total: number;
}

/** What `certify` says of a token, rule by rule. */
function clientPage({ certificate, isDirect, total }: ClientView, reader: Reader): Page {
  const { tokenId, tenantId, requests, from, to, verdict, rules } = certificate;
  const failed = rules.filter((finding) => finding.verdict === "fail").length;
  const conclusion =
    verdict === "fail"
      ? `The client breaks ${failed} of ${rules.length} rules. What it should do stands beside each.`
      : "The client keeps every rule that could be judged.";
  const looked =
    requests < total ? `the newest ${requests.toLocaleString("en")}` : requests.toLocaleString("en");
  const main = html`<h1>How the client of <bdi>${tokenId}</bdi> behaves</h1>
${notice(verdict === "fail" ? "doubtful" : "good", html`<p>${conclusion}</p>`)}
<p class="lead">Tenant ${tenantId ?? "unknown"}: ${looked} of ${total.toLocaleString("en")} <a href="${requestsOf({ token: tokenId })}">requests</a> were looked at, from ${time(from, reader)} to ${time(to, reader)}.</p>
${dataTable(
  "Rules",
  [
    { title: "Rule", isHeading: true },
    { title: "Kept" },
    { title: "What was seen" },
    { title: "What the partner should do" },
  ],
  rules.map(cells),
)}
<p>${
    isDirect
      ? html`Connections are taken for the client's own. <a href="${clientPath(tokenId)}">They are a proxy's</a>`
      : html`Nothing is judged by connections, which are a proxy's in most installations. <a href="${clientPath(tokenId)}?direct=1">They are the client's own</a>`
  }</p>`;
  return { status: 200, title: "Client", trail, main };
}

/** The log has nothing of the token. */
function clientWithoutRequests(tokenId: string): Page {
  const main = html`<h1>How the client of <bdi>${tokenId}</bdi> behaves</h1>
${notice("doubtful", html`<p>The log has no request with this access key, so there is nothing to judge.</p>`)}`;
  return { status: 404, title: "Client", trail, main };
}

const trail: Page["trail"] = [
  { text: "Tenants", path: home },
  { text: "Access keys", path: tokensPath },
];

const shown: Readonly<Record<Verdict, { readonly text: string; readonly tone: Tone }>> = {
  pass: { text: "yes", tone: "good" },
  fail: { text: "no", tone: "bad" },
  "not-seen": { text: "not seen", tone: "neutral" },
};

function cells({ rule, verdict, summary, advice, examples }: Finding): readonly (Html | string)[] {
  const { text, tone } = shown[verdict];
  const links = examples.map(
    (id, at) => html`${at > 0 && ", "}<a href="${requestPath(id)}"><bdi>${id}</bdi></a>`,
  );
  return [
    rule,
    badge(text, tone),
    html`${summary}${links.length > 0 && html` For example: ${links}`}`,
    advice ?? "",
  ];
}

export const clientRoute = route({
  pattern: "/tokens/:token/client",
  parse: ({ token }, query) => ({ tokenId: token, isDirect: query.get("direct") === "1" }),
  page,
});

/** `certify` reads a log whole; a page looks at the newest. */
const maxRequests = 20_000;

interface Question {
  readonly tokenId: string;
  /** Whether the log's connections are the client's own; in most installations they are a proxy's. */
  readonly isDirect: boolean;
}

async function page({ tokenId, isDirect }: Question, { log, reader, signal }: Inspection): Promise<Page> {
  if (log === undefined) return requestsWithoutLog();
  await log.refresh();
  const found = await log.index.find({ filter: { tokenId }, limit: maxRequests }, signal);
  const certifier = createCertifier(tokenId, !isDirect);
  for (const line of found.lines.toReversed()) certifier.see(line);
  const certificate = certifier.certificate();
  if (certificate === undefined) return clientWithoutRequests(tokenId);
  return clientPage({ certificate, isDirect, total: found.total }, reader());
}
