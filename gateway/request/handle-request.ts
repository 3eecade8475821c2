import { responseEntry } from "../../core/documents/manifest.ts";
import { causeOf } from "../../core/ground/cause-code.ts";
import { isProgramId } from "../../core/ground/ids.ts";
import type { ResponseName } from "../../core/ground/object-key.ts";
import { type BodyCache, bodyId, type WantedBody } from "../bodies/body-cache.ts";
import type { LiveSnapshot, LiveSnapshots } from "../known/live-snapshots.ts";
import type { KnownToken, TokenDirectory } from "../known/token-directory.ts";
import type { Exchange } from "./exchange.ts";
import { quota, type WindowCounter } from "./quota.ts";
import {
  admittedResource,
  badToken,
  malformedId,
  malformedToken,
  messageRefusal,
  noToken,
  quotaOrScopeRefusal,
  Refusal,
  unknownProgram,
} from "./refusal.ts";
import { prefersGzip } from "./request-head.ts";
import { decodedSegment, type Resource, requestTarget } from "./request-target.ts";
import type { Responder } from "./respond.ts";

/** What answers need; none of it knows of the others. */
export interface HandlerParts {
  readonly tokens: TokenDirectory;
  /** Counts every request with a good token, by token id; all resources share its window (W52). */
  readonly counter: WindowCounter;
  readonly windowSeconds: number;
  readonly snapshots: LiveSnapshots;
  readonly bodies: BodyCache;
  readonly respond: Responder;
}

/**
 * Answers one request: the API's checks in their fixed order (W10). All is synchronous unless something has
 * to be fetched, so that a request whose answer is in memory costs little more than its bytes. Never throws.
 */
export function createRequestHandler(parts: HandlerParts): (exchange: Exchange) => void {
  return (exchange) => {
    try {
      begin(parts, exchange);
    } catch (error) {
      fail(parts, exchange, error);
    }
  };
}

function begin(parts: HandlerParts, exchange: Exchange): void {
  const { tokens, counter, respond } = parts;
  const resource = requestedResource(exchange);
  if (resource instanceof Refusal) {
    // W80: a 404 or 405 does not depend on the token (W13), but the log names the token for support.
    if (resource.code !== "invalid_request") authenticatedToken(exchange, tokens);
    respond.refusal(exchange, resource);
    return;
  }
  const token = authenticatedToken(exchange, tokens);
  if (token instanceof Refusal) {
    respond.refusal(exchange, token);
    return;
  }
  whenReady(parts, exchange, counter.hit(token.tokenId), (state) => {
    exchange.quota = quota(state, token.limit, parts.windowSeconds);
    const refused = quotaOrScopeRefusal(exchange.quota, token.mayRead);
    const name = refused ?? requestedResponse(resource);
    if (name instanceof Refusal) return respond.refusal(exchange, name);
    if (name.kind === "detail") exchange.programId = name.programId;
    whenReady(parts, exchange, parts.snapshots.liveOf(token.tenantId), (live) => {
      exchange.snapshot = live;
      answer(parts, exchange, token, live, name);
    });
  });
}

/** A body that the cache holds for this generation has passed check 8 before. */
function answer(
  parts: HandlerParts,
  exchange: Exchange,
  token: KnownToken,
  live: LiveSnapshot,
  name: ResponseName,
): void {
  const { bodies, respond } = parts;
  const gzip = prefersGzip(exchange.head.acceptEncoding);
  exchange.acceptsGzip = gzip;
  const id = bodyId(live.tenantId, name);
  const { generation } = live;
  const cached = bodies.cached(id, generation, gzip);
  if (cached !== undefined) {
    respond.body(exchange, cached);
    return;
  }
  // Check 8: the live snapshot names the program (W3, W22). Then the 200 (W2).
  const entry = responseEntry(live.manifest, name);
  if (entry === undefined) {
    respond.refusal(exchange, unknownProgram);
    return;
  }
  exchange.objectKey = entry.key;
  const fetched = fetchAnswer(parts, exchange, { asker: token, id, generation, entry }, gzip);
  fetched.catch((error: unknown) => fail(parts, exchange, error));
}

/**
 * A body too large to be held is packed once, and its first reader waits for the gzip form. If packing takes
 * long, or the gzip form is too large for the cache as well, the bytes go out unpacked: gzip is a preference,
 * `identity` always possible. Rejects, with nothing sent yet, when the store does not deliver the body.
 */
async function fetchAnswer(
  { bodies, respond }: HandlerParts,
  exchange: Exchange,
  wanted: WantedBody,
  gzip: boolean,
): Promise<void> {
  const { asker, entry } = wanted;
  const isLarge = entry.size > bodies.maxBodyBytes;
  const packed = isLarge && gzip ? bodies.packLarge(wanted) : undefined;
  const body = await (isLarge ? packed : bodies.load(wanted, gzip));
  // `stream` also logs that the client has left meanwhile.
  if (body === undefined || (isLarge && exchange.res.destroyed)) await respond.stream(exchange, asker, entry);
  else respond.body(exchange, body);
}

/** Anything unexpected becomes a 500, also an object that is missing or damaged in the store (W16). */
function fail({ respond }: HandlerParts, exchange: Exchange, error: unknown): void {
  // A response that has begun cannot become an error. The connection is cut, so that the client notices.
  if (exchange.res.headersSent) exchange.res.destroy();
  else respond.refusal(exchange, new Refusal("internal_error", causeOf(error)));
}

function whenReady<Value>(
  parts: HandlerParts,
  exchange: Exchange,
  value: Value | Promise<Value>,
  next: (value: Value) => void,
): void {
  if (!(value instanceof Promise)) {
    next(value);
    return;
  }
  const guarded = (settled: Value): void => {
    try {
      next(settled);
    } catch (error) {
      fail(parts, exchange, error);
    }
  };
  value.then(guarded, (error: unknown) => fail(parts, exchange, error));
}

/** Checks 1 to 3: message, path, method. */
function requestedResource(exchange: Exchange): Resource | Refusal {
  const { req, head } = exchange;
  const refused = messageRefusal(req.httpVersion, head.hostCount);
  if (refused !== undefined) return refused;
  const target = requestTarget(req.url ?? "");
  if (target.kind !== "malformed") exchange.route = target.kind;
  return admittedResource(target, req.method);
}

/** Check 4 (W31): the token is known, neither revoked nor expired. Records it for the log in any case. */
function authenticatedToken(exchange: Exchange, tokens: TokenDirectory): KnownToken | Refusal {
  const credentials = exchange.connection.credentials(exchange.head.authorization);
  if (credentials.kind === "none") return noToken;
  if (credentials.kind === "malformed") return malformedToken;
  const authentication = tokens.authenticate(credentials.digest);
  if (authentication.kind === "unconfirmed") return new Refusal("internal_error", authentication.cause);
  exchange.token = authentication.token;
  return authentication.kind === "accepted" ? authentication.token : badToken(authentication.cause);
}

/** Check 7 (W21): a detail's id, decoded once, is well formed. */
function requestedResponse(resource: Resource): ResponseName | Refusal {
  if (resource.kind !== "detail") return resource;
  const id = decodedSegment(resource.segment);
  return id !== undefined && isProgramId(id) ? { kind: "detail", programId: id } : malformedId;
}
