import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import { numberText } from "../../output/counted.ts";
import type { ExplainedRequest } from "../explain-requests.ts";
import { programPath, tenantPath } from "../pages/addresses.ts";
import type { DescribedFact, Line, Piece } from "./description.ts";
import { pastLines } from "./program-facts.ts";

/** The facts about a request in the log and the store, for `request explain` and for its page. */
export function requestFacts(request: ExplainedRequest, now: Date): readonly DescribedFact[] {
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
