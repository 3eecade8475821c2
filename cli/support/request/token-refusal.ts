import type { CauseCode } from "../../../core/cause-code.ts";
import type { RegisteredToken } from "../../../core/token-registry.ts";
import type { RequestLogLine } from "../../gateway-log/request-line.ts";
import type { RealCause, RequestFacts } from "./request-facts.ts";

/** Why a token was refused with 401: its own history, where the gateway knew which one it was. */
export function tokenRefusal({ line, token }: RequestFacts): RealCause {
  switch (token.kind) {
    case "none":
      return anonymous(line);
    case "foreign":
      return {
        summary: `The log names token ${line.tokenId}, which is not in this store's registry: the log is of a gateway with another store.`,
        next: { text: "Run this with the gateway's STORE_URL.", commands: ["config"] },
      };
    case "unavailable":
      return {
        summary: `The gateway refused token ${line.tokenId} (${line.cause ?? "no reason given"}). More is in the registry, which could not be read: ${token.reason}`,
        next: { text: "Ask again when the store answers.", commands: ["store check"] },
      };
    case "known":
      return known(token.token, token.successors);
  }
}

/** The gateway did not know the token. */
function anonymous({ causeCode, cause }: RequestLogLine): RealCause {
  return (
    anonymousCauses.get(causeCode) ?? {
      summary: `The gateway refused the request: ${cause ?? "it noted no cause"}.`,
      next: { text: "Ask the partner for the request as it was sent, without the token.", commands: [] },
    }
  );
}

const anonymousCauses: ReadonlyMap<string | null, RealCause> = new Map<CauseCode, RealCause>([
  [
    "no_token",
    {
      summary: "The request had no bearer token: no header `Authorization: Bearer ...`.",
      next: {
        text: "Tell the partner to send the header; a token in the query string or in a cookie does not count. Look also at proxies that drop it.",
        commands: [],
      },
    },
  ],
  [
    "unknown_token",
    {
      summary:
        "The token has the right form, but this store never issued it: it belongs to another installation.",
      next: {
        text: "Give the partner a token of this installation.",
        commands: ["token list", "token create --tenant ID"],
      },
    },
  ],
  [
    "malformed_token",
    {
      summary:
        "What was sent as a token is none: it was cut, mistyped, or is of another system, or the header was sent twice.",
      next: {
        text: "Tell the partner to copy the whole token: ppr_ and 49 letters and digits, after `Bearer` and a space. A lost one is replaced by rotation.",
        commands: ["token list", "token rotate TOKEN_ID"],
      },
    },
  ],
]);

function known(token: RegisteredToken, successors: readonly RegisteredToken[]): RealCause {
  const name = token.name === null ? token.tokenId : `${token.tokenId} (${token.name})`;
  const replacement = successors[0];
  const newest = successors.at(-1);
  if (token.revokedAt === null) {
    return {
      summary: `Token ${name} expired at ${token.expiresAt ?? "the time of the request"}.`,
      next: {
        text: "Issue a new one; an expired token can't be rotated.",
        commands: [`token create --tenant ${token.tenantId}`],
      },
    };
  }
  if (replacement === undefined || newest === undefined) {
    return {
      summary: `Token ${name} was revoked at ${token.revokedAt} by \`token revoke\`, without a replacement.`,
      next: {
        text: "If the partner may still read the programs, issue a new one.",
        commands: [`token create --tenant ${token.tenantId}`],
      },
    };
  }
  return {
    summary: `Token ${name} was revoked at ${token.revokedAt} by \`token rotate\`, which issued ${replacement.tokenId} in its place${newest === replacement ? "" : ` (by now replaced by ${newest.tokenId})`}. The partner still uses the old one.`,
    next: {
      text: `Ask whether the partner got the new one. Nobody can see its plaintext again; if it is lost, rotate once more.`,
      commands: [`token rotate ${newest.tokenId}`],
    },
  };
}
