import type { RequestLogLine } from "../../cli/read/gateway-log/request-line.ts";
import type { RegistryReading } from "../../cli/support/facts/tenants.ts";
import { judgedRequest, partnerMessage } from "../../cli/support/judgement/request.ts";
import type { RequestFacts } from "../../cli/support/judgement/request-facts.ts";
import { describedRequest } from "../../cli/support/texts/request.ts";
import type { RegisteredToken } from "../../core/documents/token-registry.ts";
import { parseTenantId, parseTokenId, type TokenId } from "../../core/ground/ids.ts";
import { issueToken } from "./gateway-tokens.ts";

/** Requests of a gateway's log, access keys, and what support is told of both. */

export const tenantId = parseTenantId("acme");

export function token(number: number, fields: Partial<RegisteredToken> = {}): RegisteredToken {
  return issueToken(tenantId, { tokenId: tokenId(number), name: "Website", ...fields }).entry;
}

export function tokenId(number: number): TokenId {
  return parseTokenId(`tok_000000000000000${number}`);
}

export function reading(...tokens: readonly RegisteredToken[]): RegistryReading {
  return { kind: "read", registry: { revision: 1, tokens } };
}

function line(fields: Partial<RequestLogLine>): RequestLogLine {
  return {
    time: "2026-11-21T12:00:00.000Z",
    requestId: "r-1",
    tokenId: null,
    tenantId: null,
    route: "list",
    method: "GET",
    status: 200,
    durationMs: 1,
    bytes: 10,
    snapshotId: null,
    unconfirmedSince: null,
    unconfirmedCode: null,
    objectKey: null,
    client: null,
    programId: null,
    limit: null,
    windowSeconds: null,
    causeCode: null,
    cause: null,
    connection: null,
    nth: null,
    acceptsGzip: null,
    encoding: null,
    retryAfter: null,
    isCut: false,
    ...fields,
  };
}

const reader = { now: new Date("2026-11-21T12:01:00.000Z"), zone: "UTC" };

export function judged(fields: Partial<RequestLogLine>, others: Partial<RequestFacts> = {}) {
  return judgedRequest(factsOf(fields, others), reader);
}

/** How the access key of a request is described. */
export function describedKey(fields: Partial<RequestLogLine>, others: Partial<RequestFacts>) {
  const request = { ...factsOf(fields, others), ...judged(fields, others) };
  return describedRequest(request, reader.now).find(([label]) => label === "access key")?.[1];
}

function factsOf(fields: Partial<RequestLogLine>, others: Partial<RequestFacts> = {}): RequestFacts {
  return {
    line: line(fields),
    token: { kind: "none" },
    keys: "some",
    tenant: null,
    miss: null,
    snapshot: null,
    isMended: false,
    ...others,
  };
}

/** What is to be sent to the partner. */
export function sent(fields: Partial<RequestLogLine>, others: Partial<RequestFacts> = {}): string {
  return partnerMessage(factsOf(fields, others), reader.now);
}
