import type { ExplainedRequest } from "./explain-request.ts";
import type { TokenFinding } from "./token-finding.ts";

/** An element of what `request explain --json` prints; documented in docs/json.md. */
export function requestJson({ line, token, history, summary, next }: ExplainedRequest): object {
  const { requestId: _, ...logged } = line;
  return { ...logged, token: tokenJson(token), program: history, summary, next };
}

function tokenJson(token: TokenFinding): object | null {
  if (token.kind !== "known") return null;
  const { tokenId, tenantId, name, scopes, expiresAt, rateLimit, createdAt, revokedAt } = token.token;
  const successors = token.successors.map((successor) => successor.tokenId);
  return { tokenId, tenantId, name, scopes, expiresAt, rateLimit, createdAt, revokedAt, successors };
}
