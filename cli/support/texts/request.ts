import { printable } from "../../../core/printable.ts";
import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import { numberText } from "../../output/counted.ts";
import type { Layout } from "../../output/layout.ts";
import type { ExplainedRequest } from "../explain-requests.ts";
import type { TokenFinding } from "../facts/registry.ts";
import { programPath, tenantPath } from "../pages/addresses.ts";
import { pastLines } from "./described-program.ts";
import { type DescribedRow, type Line, labelledRows, type Piece } from "./description.ts";
import { answerText, historyJson } from "./explanation.ts";

/** The cause first, then the facts in the log and the store, and the next steps last. */
export function requestText(request: ExplainedRequest, layout: Layout): string {
  const title = `Request ${printable(request.line.requestId)}: ${statusTitle(request.line)}`;
  const rows = labelledRows(describedRequest(request, layout.now), layout);
  return answerText({ ...request, title, tone: requestTone(request.line), rows }, layout);
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

/** The facts about a request in the log and the store, for `request explain` and for its page. */
export function describedRequest(request: ExplainedRequest, now: Date): readonly DescribedRow[] {
  const { line, miss } = request;
  return [
    ["when", { time: line.time }],
    ["asked", [asked(line), ...programPieces(line)]],
    ["from", line.client],
    ["access key", ...keyLines(request, now)],
    ["snapshot", line.snapshotId === null ? "none was looked up" : { id: line.snapshotId }],
    ["object", line.objectKey === null ? "none was read" : { id: line.objectKey }],
    ["answer", answer(line)],
    ["log says", line.cause],
    ["program", ...(miss === null ? [] : pastLines(miss.atTheTime))],
  ];
}

function programPieces({ tenantId, programId }: RequestLogLine): readonly Piece[] {
  if (programId === null) return [];
  return [
    ", program ",
    tenantId === null ? programId : { id: programId, page: programPath(tenantId, programId) },
  ];
}

const resources: Readonly<Record<string, string>> = {
  list: "/v1/programs",
  detail: "/v1/programs/{id}",
  legacy: "/api/v1/partner/programs (deprecated)",
};

function asked({ method, route, status }: RequestLogLine): string {
  // The parser refused the request before it had read the address.
  if (method === null && status === 400) return "nothing that could be read";
  return `${method ?? "?"} ${resources[route] ?? "a path that is not of the API"}`;
}

function answer({ bytes, durationMs, status }: RequestLogLine): string {
  const size = bytes === null ? "" : `, ${numberText(bytes)} bytes`;
  return `${status}${size}${durationMs === null ? "" : `, after ${durationMs} ms`}`;
}

function keyLines({ token, line }: ExplainedRequest, now: Date): readonly Line[] {
  if (token.kind === "none") return ["none that is known here"];
  const key: Piece = { id: line.tokenId ?? "" };
  const of = (tenantId: string | null): readonly Piece[] => [
    ", tenant ",
    tenantId === null ? "?" : { id: tenantId, page: tenantPath(tenantId) },
  ];
  switch (token.kind) {
    case "foreign":
      return [[key, ...of(line.tenantId), ": none of this installation's"]];
    case "unavailable":
      return [[key, ...of(line.tenantId)], token.reason];
    case "known": {
      const { name, tenantId, revokedAt, expiresAt } = token.token;
      const end: readonly Piece[] =
        revokedAt !== null
          ? [{ tone: "bad", text: "revoked " }, { time: revokedAt }]
          : expiresAt === null
            ? [{ tone: "good", text: "active" }]
            : Date.parse(expiresAt) <= now.getTime()
              ? [{ tone: "bad", text: "expired " }, { time: expiresAt }]
              : ["ends ", { time: expiresAt }];
      return [[key, name === null ? "" : ` "${name}"`, ...of(tenantId), ", ", ...end]];
    }
  }
}
