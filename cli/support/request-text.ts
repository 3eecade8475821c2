import { printable } from "../../core/printable.ts";
import type { RequestLogLine } from "../operate/gateway-log/request-line.ts";
import { type Fact, facts } from "../output/facts.ts";
import type { Layout } from "../output/layout.ts";
import { relativeAndExact } from "../output/relative-time.ts";
import type { Style } from "../output/style.ts";
import { wrapped } from "../output/wrap.ts";
import { historyLines, nextStepText } from "./explanation-text.ts";
import type { ExplainedRequest } from "./request/explain-request.ts";
import type { TokenFinding } from "./request/token-finding.ts";

/** The cause first, then what the log and the store know of the request, last what to do. */
export function requestText(request: ExplainedRequest, layout: Layout): string {
  const { line, token, miss, summary, next } = request;
  const { style, width, now } = layout;
  const rows: Fact[] = [
    ["when", relativeAndExact(line.time, now)],
    ["asked", asked(line)],
    ...(line.client === null ? [] : [["from", printable(line.client)] satisfies Fact]),
    ["access key", ...tokenLines(token, line, style)],
    ["snapshot", printable(line.snapshotId ?? "none was looked up")],
    ["object", printable(line.objectKey ?? "none was read")],
    ["answer", answer(line)],
    ...(line.cause === null ? [] : [["log says", printable(line.cause)] satisfies Fact]),
    ...(miss === null ? [] : [["program", ...historyLines(miss.history, layout)] satisfies Fact]),
  ];
  return [
    `${style.bold(`Request ${printable(line.requestId)}: ${statusTitle(line)}`)}\n`,
    `${wrapped(tone(line, style)(printable(summary)), width).join("\n")}\n\n`,
    facts(rows, width),
    `\n${nextStepText(next, layout)}`,
  ].join("");
}

/** The status with what the specification calls it. */
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

const resources: Readonly<Record<string, string>> = {
  list: "/v1/programs",
  detail: "/v1/programs/{id}",
  legacy: "/api/v1/partner/programs (deprecated)",
};

function asked({ method, route, programId }: RequestLogLine): string {
  const program = programId === null ? "" : `, program ${programId}`;
  return printable(`${method ?? "?"} ${resources[route] ?? "a path that is not of the API"}${program}`);
}

function answer({ bytes, durationMs, status }: RequestLogLine): string {
  const size = bytes === null ? "" : `, ${bytes.toLocaleString("en")} bytes`;
  return `${status}${size}${durationMs === null ? "" : `, after ${durationMs} ms`}`;
}

function tokenLines(token: TokenFinding, line: RequestLogLine, style: Style): string[] {
  switch (token.kind) {
    case "none":
      return ["none that is known here"];
    case "foreign":
      return [printable(`${line.tokenId}, tenant ${line.tenantId ?? "?"}: none of this installation's`)];
    case "unavailable":
      return [printable(`${line.tokenId}, tenant ${line.tenantId ?? "?"}`), printable(token.reason)];
    case "known": {
      const { tokenId, name, tenantId, revokedAt, expiresAt } = token.token;
      const ends =
        revokedAt !== null
          ? style.bad(`revoked ${revokedAt}`)
          : expiresAt === null
            ? style.good("active")
            : `expires ${expiresAt}`;
      return [`${tokenId}${name === null ? "" : ` "${printable(name)}"`}, tenant ${tenantId}, ${ends}`];
    }
  }
}

function tone({ status, isCut }: RequestLogLine, style: Style): (text: string) => string {
  if (status === 200) return isCut ? style.doubtful : style.good;
  return status >= 500 ? style.bad : style.doubtful;
}
