import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import type { S3Client } from "@aws-sdk/client-s3";
import { type RequestTemplate, requestTemplate } from "./request-template.ts";
import type { S3Agents } from "./s3-client.ts";
import { createSign, type Sign, type SignedHeaders } from "./signature.ts";

export interface PlainRequest {
  readonly method: "GET" | "PUT";
  /** The key with the location's prefix. Its characters need no encoding in a path. */
  readonly key: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** The body's digest as hex. */
  readonly sha256: string;
}

/**
 * Sends a request without the SDK's middleware, which takes several times as long as the network. Returns the head of the
 * answer, or `undefined` where only the SDK can send the request. Endpoint, region, credentials and the store's time come from
 * the SDK (P41, `client.config`), so that all its ways of configuration work, also when values change.
 */
export type PlainSend = (request: PlainRequest, signal: AbortSignal) => Promise<IncomingMessage | undefined>;

export function createPlainSend(client: S3Client, agents: S3Agents, bucket: string): PlainSend {
  let preparing: Promise<Prepared | undefined> | undefined;

  async function prepare(): Promise<Prepared | undefined> {
    try {
      const template = await requestTemplate(client, bucket);
      return template && { template, sign: createSign(template.region, template.service) };
    } catch (error) {
      // The next request tries again, since credentials or a region may be available by then.
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
    // The SDK does not sign this header either, since proxies rewrite it.
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

/** Resolves with the head of the answer. The caller must read the rest or destroy it. Until then the signal ends it. */
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
