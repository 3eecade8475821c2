import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import type { S3Client } from "@aws-sdk/client-s3";
import { type RequestTemplate, requestTemplate } from "./request-template.ts";
import type { S3Agents } from "./s3-client.ts";
import { createSign, type Sign, type SignedHeaders } from "./signature.ts";

/** A request for one object. */
export interface PlainRequest {
  readonly method: "GET" | "PUT";
  /** With the location's prefix; of characters that a path takes as they are. */
  readonly key: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** Of the body, as hex. */
  readonly sha256: string;
}

/**
 * Sends a request past the SDK's stack of middleware, which costs several times what the network does; gives the
 * answer's head, and `undefined` where only the SDK can send it. Endpoint, region, credentials and the store's time
 * are the SDK's (P41, `client.config`), so that whatever they come from, and however often they change, still counts.
 */
export type PlainSend = (request: PlainRequest, signal: AbortSignal) => Promise<IncomingMessage | undefined>;

export function createPlainSend(client: S3Client, agents: S3Agents, bucket: string): PlainSend {
  let preparing: Promise<Prepared | undefined> | undefined;

  async function prepare(): Promise<Prepared | undefined> {
    try {
      const template = await requestTemplate(client, bucket);
      return template && { template, sign: createSign(template.region, template.service) };
    } catch (error) {
      // Credentials or a region may be there the next time.
      preparing = undefined;
      throw error;
    }
  }

  return async ({ method, key, headers, body, sha256 }, signal) => {
    preparing ??= prepare();
    const prepared = await preparing;
    if (prepared === undefined) return undefined;
    const { template, sign } = prepared;
    const credentials = await client.config.credentials();
    const now = new Date(Date.now() + client.config.systemClockOffset);
    const path = template.pathPrefix + key;
    const signed = sign(
      { method, path, headers: { ...headers, host: template.host }, sha256 },
      credentials,
      now,
    );
    // Unsigned, as by the SDK: proxies rewrite it.
    signed["user-agent"] = template.userAgent;
    return answerTo({ template, agents, method, path, headers: signed, body }, signal);
  };
}

interface Prepared {
  readonly template: RequestTemplate;
  readonly sign: Sign;
}

interface SignedRequest {
  readonly template: RequestTemplate;
  readonly agents: S3Agents;
  readonly method: string;
  readonly path: string;
  readonly headers: SignedHeaders;
  readonly body: Buffer | undefined;
}

/** The head of the answer. Whoever gets it reads the rest, or destroys it; until then the signal ends it. */
function answerTo(request: SignedRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { template, agents, method, path, headers, body } = request;
  const { hostname, port, isTls } = template;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const options = { host: hostname, port, method, path, headers, setHost: false };
    const outgoing = isTls
      ? https.request({ ...options, agent: agents.httpsAgent })
      : http.request({ ...options, agent: agents.httpAgent });
    const onAbort = (): void => {
      outgoing.destroy();
      reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort);
    outgoing.on("close", () => signal.removeEventListener("abort", onAbort));
    outgoing.on("response", resolve);
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
