import { printable } from "../../../core/ground/printable.ts";
import type { Layout } from "../../output/layout.ts";
import { numberText } from "../../output/words.ts";
import type { RequestLogLine } from "../../read/gateway-log/request-line.ts";
import type { ExplainedRequest } from "../explain-requests.ts";
import { programPath, tenantPath } from "../pages/addresses.ts";
import { type DescribedRow, type Line, labelledRows, type Piece } from "./description.ts";
import { answerText, historyJson, pastLines } from "./program.ts";

/** The cause first, then the facts in the log and the store, and the next steps last. */
export function requestText(request: ExplainedRequest, layout: Layout): string {
  const { requestId, status, isCut } = request.line;
  const answered = `${status} ${statusTitles[status] ?? ""}`.trimEnd();
  const title = `Request ${printable(requestId)}: ${answered}${isCut ? ", cut off" : ""}`;
  const rows = labelledRows(describedRequest(request, layout.now), layout);
  return answerText({ ...request, title, tone: requestTone(request.line), rows }, layout);
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
  const { line, miss, snapshot, summary, next } = request;
  const { requestId: _, ...logged } = line;
  const { atTheTime: missed = null, now = null } = miss ?? {};
  return {
    ...logged,
    token: tokenJson(request),
    program: missed && historyJson(missed),
    missed,
    now: now && { answer: now.answer, verdict: now.verdict, row: now.row, summary: now.summary },
    snapshot: snapshot?.kind === "kept" ? { ...snapshot, replaced: null } : snapshot,
    object: null,
    gateway: null,
    summary,
    next,
  };
}

function tokenJson({ token }: ExplainedRequest): object | null {
  if (token.kind !== "known") return null;
  const { tokenId, tenantId, name, scopes, expiresAt, rateLimit, createdAt, revokedAt } = token.token;
  const successors = token.successors.map((successor) => successor.tokenId);
  return { tokenId, tenantId, name, scopes, expiresAt, rateLimit, createdAt, revokedAt, successors };
}

/** The facts about a request in the log and the store, for `request explain` and for its page. */
export function describedRequest(request: ExplainedRequest, now: Date): readonly DescribedRow[] {
  const { line, miss } = request;
  const { tenantId, programId, bytes, durationMs, status } = line;
  const page = tenantId !== null && programId !== null ? programPath(tenantId, programId) : "";
  const program: readonly Piece[] = programId === null ? [] : [", program ", { id: programId, page }];
  const size = bytes === null ? "" : `, ${numberText(bytes)} bytes`;
  return [
    ["when", { time: line.time }],
    ["asked", [asked(line), ...program]],
    ["from", line.client],
    ["access key", ...keyLines(request, now)],
    ["snapshot", line.snapshotId === null ? "none was looked up" : { id: line.snapshotId }],
    ["object", line.objectKey === null ? "none was read" : { id: line.objectKey }],
    ["answer", `${status}${size}${durationMs === null ? "" : `, after ${durationMs} ms`}`],
    ["log says", line.cause],
    ["program", ...(miss === null ? [] : pastLines(miss.atTheTime))],
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

function keyLines({ token, line }: ExplainedRequest, now: Date): readonly Line[] {
  if (token.kind === "none") return ["none that is known here"];
  const key: Piece = { id: line.tokenId ?? "" };
  const of = (tenantId: string | null): readonly Piece[] => [
    ", tenant ",
    tenantId === null ? "?" : { id: tenantId, page: tenantPath(tenantId) },
  ];
  if (token.kind === "foreign") return [[key, ...of(line.tenantId), ": none of this installation's"]];
  if (token.kind === "unavailable") return [[key, ...of(line.tenantId)], token.reason];
  const { name, tenantId, revokedAt, expiresAt } = token.token;
  const ended = (text: string, time: string): readonly Piece[] => [{ tone: "bad", text }, { time }];
  const end =
    revokedAt !== null
      ? ended("revoked ", revokedAt)
      : expiresAt === null
        ? [{ tone: "good", text: "active" } as const]
        : Date.parse(expiresAt) <= now.getTime()
          ? ended("expired ", expiresAt)
          : ["ends ", { time: expiresAt }];
  return [[key, name === null ? "" : ` "${name}"`, ...of(tenantId), ", ", ...end]];
}
