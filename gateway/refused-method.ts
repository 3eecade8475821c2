import { METHODS } from "node:http";
import type { Route } from "./exchange.ts";
import { admittedResource, messageRefusal, Refusal } from "./refusal.ts";
import type { RefusedHead, RequestLine } from "./refused-head.ts";
import { requestHead } from "./request-head.ts";
import { requestTarget } from "./request-target.ts";

/** Where Node's parser stopped: its error code, and how many bytes of the packet it had read. */
export interface ParserStop {
  readonly code: string;
  readonly at: number;
}

export interface MethodRefusal {
  readonly refusal: Refusal;
  readonly route: Route;
}

/**
 * W14: checks 1 to 3 for a request that Node's parser refused for its method alone: 405 on a resource, 404 elsewhere. The
 * message must be as well formed as one that the parser accepts, since the first check comes before the third. Otherwise,
 * or when the fault is another one, the result is `undefined`, and the message counts as malformed.
 */
export function methodRefusal(head: RefusedHead, stop: ParserStop): MethodRefusal | undefined {
  const { requestLine, rawHeaders, isWellFormed, isComplete } = head;
  if (requestLine === undefined || !isWellFormed || !isForMethod(requestLine, stop)) return undefined;
  const { method, target, httpVersion, end } = requestLine;
  const { hostCount } = requestHead(rawHeaders);
  // A header section that continues in another packet may have its Host line there.
  const isHostless = hostCount === 0 && !isComplete;
  if (messageRefusal(httpVersion, isHostless ? 1 : hostCount) !== undefined) return undefined;
  if (!hasOneFraming(rawHeaders) || headerBytes(rawHeaders) + end > maxHeaderBytes) return undefined;
  const resource = requestTarget(target);
  const refusal = admittedResource(resource, method);
  if (resource.kind === "malformed" || !(refusal instanceof Refusal)) return undefined;
  return { refusal, route: resource.kind };
}

/**
 * The parser also knows some methods of RTSP and the one of HTTP/2's preface. It refuses these only when it reaches the version,
 * so it must have read past the method in this packet.
 */
function isForMethod({ method, end }: RequestLine, { code, at }: ParserStop): boolean {
  if (knownMethods.has(method) || at > end) return false;
  return code === "HPE_INVALID_METHOD" || (lateCodes.has(code) && at > method.length);
}

/** Methods that the parser accepts in HTTP. A message with one of them has another fault. */
const knownMethods = new Set(METHODS);
const lateCodes = new Set(["HPE_INVALID_CONSTANT", "HPE_INVALID_VERSION"]);

/** RFC 9112 section 6.3: a message that states its length in two ways may look like two messages to a proxy. */
function hasOneFraming(rawHeaders: readonly string[]): boolean {
  const framings = rawHeaders.filter((name, at) => at % 2 === 0 && framingPattern.test(name));
  return framings.length <= 1;
}

function headerBytes(rawHeaders: readonly string[]): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, 0);
}

const framingPattern = /^(?:content-length|transfer-encoding)$/i;
/** The same bound as for every request. */
const maxHeaderBytes = 16 * 1024;
