import type { ExplainedRequest } from "./explain-request.ts";
import type { Miss } from "./request-facts.ts";
import type { TokenFinding } from "./token-finding.ts";

/** An element of what `request explain --json` prints; documented in docs/json.md. */
export function requestJson({ line, token, miss, summary, next }: ExplainedRequest): object {
  const { requestId: _, ...logged } = line;
  return {
    ...logged,
    token: tokenJson(token),
    program: miss?.history ?? null,
    missed: miss?.missed ?? null,
    now: miss && nowJson(miss),
    summary,
    next,
  };
}

function nowJson({ now: { answer, verdict, row, summary } }: Miss): object {
  return { answer, verdict, row, summary };
}

function tokenJson(token: TokenFinding): object | null {
  if (token.kind !== "known") return null;
  const { tokenId, tenantId, name, scopes, expiresAt, rateLimit, createdAt, revokedAt } = token.token;
  const successors = token.successors.map((successor) => successor.tokenId);
  return { tokenId, tenantId, name, scopes, expiresAt, rateLimit, createdAt, revokedAt, successors };
}
