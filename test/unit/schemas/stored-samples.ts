import { parseTokenId } from "../../../core/ground/ids.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import documents from "./stored-samples.json" with { type: "json" };

/** One valid document of each kind that gateways or later builds read, with every nullable part present. */
export const { confirmed, current, lastRuns, manifest, removed, sandbox, store } = documents;

export const tokens = {
  format: "partner-programs/tokens@1",
  revision: 2,
  tokens: [
    issueToken("atlas-tours", {
      name: "Website",
      expiresAt: "2028-01-01T00:00:00Z",
      rateLimit: 60,
      revokedAt: "2027-06-01T00:00:00Z",
      replaces: parseTokenId("tok_zzzzzzzzzzzzzzzz"),
    }).entry,
  ],
};
