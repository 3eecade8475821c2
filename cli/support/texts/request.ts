import { printable } from "../../../core/printable.ts";
import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import { facts } from "../../output/facts.ts";
import type { Layout } from "../../output/layout.ts";
import { wrapped } from "../../output/wrap.ts";
import type { ExplainedRequest } from "../explain-requests.ts";
import type { TokenFinding } from "../facts/registry.ts";
import { factsOf } from "./description.ts";
import { historyJson, nextStepText } from "./explanation.ts";
import { requestFacts } from "./request-facts.ts";

/** The cause first, then the facts in the log and the store, and the next steps last. */
export function requestText(request: ExplainedRequest, layout: Layout): string {
  const { line, summary, next } = request;
  const { style, width } = layout;
  return [
    `${style.bold(`Request ${printable(line.requestId)}: ${statusTitle(line)}`)}\n`,
    `${wrapped(style[requestTone(line)](printable(summary)), width).join("\n")}\n\n`,
    facts(factsOf(requestFacts(request, layout.now), layout), width),
    `\n${nextStepText(next, layout)}`,
  ].join("");
}

function statusTitle({ status, isCut }: RequestLogLine): string {
  const title = statusTitles[status];
  return `${status}${title === undefined ? "" : ` ${title}`}${isCut ? ", cut off" : ""}`;
}

const statusTitles: Readonly<Record<number, string>> = {
  200: "OK",
  400: "invalid_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  429: "rate_limit_exceeded",
  500: "internal_error",
};

export function requestTone({ status, isCut }: RequestLogLine): "good" | "doubtful" | "bad" {
  if (status >= 500) return "bad";
  return status >= 400 || isCut ? "doubtful" : "good";
}

/** An element of the array that `request explain --json` prints; documented in docs/json.md. */
export function requestJson(request: ExplainedRequest): object {
  const { line, token, miss, snapshot, object, summary, next } = request;
  const { requestId: _, ...logged } = line;
  const { atTheTime: missed = null, now = null } = miss ?? {};
  return {
    ...logged,
    token: tokenJson(token),
    program: missed && historyJson(missed),
    missed,
    now: now && { answer: now.answer, verdict: now.verdict, row: now.row, summary: now.summary },
    snapshot,
    object,
    gateway: null,
    summary,
    next,
  };
}

function tokenJson(token: TokenFinding): object | null {
  if (token.kind !== "known") return null;
  const { tokenId, tenantId, name, scopes, expiresAt, rateLimit, createdAt, revokedAt } = token.token;
  const successors = token.successors.map((successor) => successor.tokenId);
  return { tokenId, tenantId, name, scopes, expiresAt, rateLimit, createdAt, revokedAt, successors };
}
