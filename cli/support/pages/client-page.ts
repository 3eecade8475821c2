import { numberText } from "../../output/counted.ts";
import { type Html, html } from "../../output/html.ts";
import type { Reader } from "../../output/times.ts";
import { type Certificate, createCertifier } from "../../partners/certify/certificate.ts";
import type { Finding, Verdict } from "../../partners/certify/rule.ts";
import { clientPath, requestPath, requestsOf, tokensPath } from "./addresses.ts";
import { homeTrail } from "./page.ts";
import { badge, dataTable, heading, notice, time } from "./parts.ts";
import { requestsWithoutLog } from "./requests-page.ts";
import { route } from "./route.ts";

export const clientRoute = route(
  "/tokens/:token/client",
  async ({ token: tokenId, query }, { log, reader, signal }) => {
    // The log's connections are the client's own (`direct`), or, as in most installations, a proxy's.
    const isDirect = query.get("direct") === "1";
    if (log === undefined) return requestsWithoutLog();
    await log.refresh();
    const found = await log.index.find({ filter: { tokenId }, limit: maxRequests }, signal);
    const certifier = createCertifier(tokenId, isDirect ? "own" : "proxy");
    for (const line of found.lines.toReversed()) certifier.see(line);
    const certificate = certifier.certificate();
    const behaviour =
      certificate === undefined
        ? notice(
            "doubtful",
            html`<p>The log has no request with this access key, so there is nothing to judge.</p>`,
          )
        : judged(certificate, isDirect, found.total, reader());
    const main = html`<h1>How the client of <bdi>${tokenId}</bdi> behaves</h1>
${behaviour}`;
    const trail = [...homeTrail, { text: "Access keys", path: tokensPath }];
    return { status: certificate === undefined ? 404 : 200, title: "Client", trail, main };
  },
);

/** A page judges only the newest requests, whereas `certify` reads the whole log. */
const maxRequests = 20_000;

/**
 * The judgement of `certify` on a token, rule by rule. `total`: all requests of the token in the log, including those not judged.
 */
function judged(certificate: Certificate, isDirect: boolean, total: number, reader: Reader): Html {
  const { tokenId, tenantId, requests, from, to, verdict, rules } = certificate;
  const failed = rules.filter((finding) => finding.verdict === "fail").length;
  const conclusion =
    verdict === "fail"
      ? `The client breaks ${failed} of ${rules.length} rules. What it should do stands beside each.`
      : "The client keeps every rule that could be judged.";
  const looked = requests < total ? `the newest ${numberText(requests)}` : numberText(requests);
  return html`${notice(verdict === "fail" ? "doubtful" : "good", html`<p>${conclusion}</p>`)}
<p class="lead">Tenant ${tenantId ?? "unknown"}: ${looked} of ${numberText(total)} <a href="${requestsOf({ token: tokenId })}">requests</a> were looked at, from ${time(from, reader)} to ${time(to, reader)}.</p>
${dataTable("Rules", rules, {
  Rule: heading(({ rule }) => rule),
  Kept: (finding) => badge(...shown[finding.verdict]),
  "What was seen": seen,
  "What the partner should do": ({ advice }) => advice,
})}
<p>${
    isDirect
      ? html`Connections are taken for the client's own. <a href="${clientPath(tokenId)}">They are a proxy's</a>`
      : html`Nothing is judged by connections, which are a proxy's in most installations. <a href="${clientPath(tokenId)}?direct=1">They are the client's own</a>`
  }</p>`;
}

const shown: Readonly<Record<Verdict, Parameters<typeof badge>>> = {
  pass: ["yes", "good"],
  fail: ["no", "bad"],
  "not-seen": ["not seen", "neutral"],
};

function seen({ summary, examples }: Finding): Html {
  const links = examples.map(
    (id, at) => html`${at > 0 && ", "}<a href="${requestPath(id)}"><bdi>${id}</bdi></a>`,
  );
  return html`${summary}${links.length > 0 && html` For example: ${links}`}`;
}
