import { METHODS } from "node:http";
import type { Route } from "./exchange.ts";
import { admittedResource, messageRefusal, Refusal } from "./refusal.ts";
import type { RefusedHead, RequestLine } from "./refused-head.ts";
import { requestHead } from "./request-head.ts";
import { requestTarget } from "./request-target.ts";

/** Where Node's parser gave up: its code, and how much of the packet it had read. */
export interface ParserStop {
  readonly code: string;
  readonly at: number;
}

export interface MethodRefusal {
  readonly refusal: Refusal;
  readonly route: Route;
}

/**
 * W14: checks 1 to 3 for a request that Node's parser refused for its method alone: 405 on a resource, 404 elsewhere. Such a
 * message has to be as well-formed as one that the parser takes, since the first check comes before the third; when it is
 * not, or when its fault is another one, the answer is `undefined`, and the message malformed.
 */
export function methodRefusal(head: RefusedHead, stop: ParserStop): MethodRefusal | undefined {
  const { requestLine, rawHeaders, isWellFormed, isComplete } = head;
  if (requestLine === undefined || !isWellFormed || !isForMethod(requestLine, stop)) return undefined;
  const { method, target, httpVersion, end } = requestLine;
  const { hostCount } = requestHead(rawHeaders);
  // A section that goes on in another packet may name its host there.
  const isHostless = hostCount === 0 && !isComplete;
  if (messageRefusal(httpVersion, isHostless ? 1 : hostCount) !== undefined) return undefined;
  if (!hasOneFraming(rawHeaders) || headerBytes(rawHeaders) + end > maxHeaderBytes) return undefined;
  const resource = requestTarget(target);
  const refusal = admittedResource(resource, method);
  if (resource.kind === "malformed" || !(refusal instanceof Refusal)) return undefined;
  return { refusal, route: resource.kind };
}

/**
 * The parser knows some methods of RTSP and the one of HTTP/2's preface, too, and refuses these only when it sees the
 * version. It has to have seen the method in this very packet then.
 */
function isForMethod({ method, end }: RequestLine, { code, at }: ParserStop): boolean {
  if (knownMethods.has(method) || at > end) return false;
  return code === "HPE_INVALID_METHOD" || (lateCodes.has(code) && at > method.length);
}

/** Those that it takes over HTTP, and that get this far only for another fault. */
const knownMethods = new Set(METHODS);
const lateCodes = new Set(["HPE_INVALID_CONSTANT", "HPE_INVALID_VERSION"]);

/** RFC 9112 section 6.3: a message that says in two ways where it ends could be two messages for someone in between. */
function hasOneFraming(rawHeaders: readonly string[]): boolean {
  const framings = rawHeaders.filter((name, at) => at % 2 === 0 && framingPattern.test(name));
  return framings.length <= 1;
}

function headerBytes(rawHeaders: readonly string[]): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, 0);
}

const framingPattern = /^(?:content-length|transfer-encoding)$/i;
/** As for every request. */
const maxHeaderBytes = 16 * 1024;
