import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import type { S3Client } from "@aws-sdk/client-s3";
import { sha256Hex } from "../object-body.ts";
import type { ObjectBody } from "../object-store.ts";
import { BadAnswer, refusalOf } from "./answer.ts";
import { kindOf } from "./s3-error.ts";
import { type BucketEndpoint, bucketEndpoint, type S3Agents } from "./sdk-client.ts";
import type { SigningCredentials } from "./signature.ts";

export interface S3Request {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** With the location's prefix; empty for a request to the bucket. It needs no encoding in a path. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Names are in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: ObjectBody;
}

/**
 * Signs and sends a request. Resolves with the head of the answer, if that is good or 304. The caller must
 * read the rest or destroy it; until then the signal ends it. Throws a `BadAnswer` for any other answer, and
 * the errors of the network and of the SDK.
 */
export type S3Send = (request: S3Request, signal: AbortSignal) => Promise<IncomingMessage>;

export function createSend(client: S3Client, agents: S3Agents, bucket: string): S3Send {
  const haveChanged = createKeyWatch(client);
  let preparing: Promise<BucketEndpoint> | undefined;
  let haveWorked = false;
  /**
   * P183: requests are signed with this machine's time until the store refuses a signature because of its
   * time; from then on with the store's time. The `Date` of other answers is not followed: one wrong answer
   * of a proxy or a node would make all later signatures wrong, even if this machine's clock is right.
   */
  let clockOffsetMs = 0;

  async function sendSigned(
    request: S3Request,
    credentials: SigningCredentials,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    preparing ??= bucketEndpoint(client, bucket);
    // After a failure the next request tries again, since credentials or a region may be available by then.
    const endpoint = await preparing.catch((error: unknown) => {
      preparing = undefined;
      throw error;
    });
    const outgoing = signedRequest(
      endpoint,
      agents,
      request,
      credentials,
      new Date(Date.now() + clockOffsetMs),
    );
    const answer = await answerTo(outgoing, request.body, signal);
    const { statusCode = 0 } = answer;
    if ((statusCode >= 200 && statusCode < 300) || statusCode === 304) return answer;
    throw await refusalOf(answer);
  }

  return async (request, signal) => {
    // The SDK renews keys that expire.
    const credentials = await client.config.credentials();
    try {
      const answer = await sendSigned(request, credentials, signal);
      haveWorked = true;
      return answer;
    } catch (error) {
      if (!(error instanceof BadAnswer)) throw error;
      const kind = kindOf(error);
      const storeMs = Date.parse(error.date ?? "");
      if (kind === "clock_skew" && !Number.isNaN(storeMs)) clockOffsetMs = storeMs - Date.now();
      // A denial may mean other keys only after a request has worked. Before, a permission is missing.
      const isOfKeys = kind === "credentials" || (kind === "denied" && haveWorked);
      if (!isOfKeys || !(await haveChanged(credentials))) throw error;
      return await sendSigned(request, await client.config.credentials(), signal);
    }
  };
}

/** The request, signed and not sent yet. */
function signedRequest(
  endpoint: BucketEndpoint,
  agents: S3Agents,
  { method, key, query, headers, body }: S3Request,
  credentials: SigningCredentials,
  at: Date,
): ClientRequest {
  const path = endpoint.pathPrefix + key;
  const queryText = query === undefined ? "" : encodedQuery(query);
  const length = body === undefined ? {} : { "content-length": String(body.size) };
  const signed = endpoint.sign(
    {
      method,
      path,
      query: queryText,
      headers: { ...headers, ...length, host: endpoint.host },
      sha256: body?.sha256 ?? emptySha256,
    },
    credentials,
    at,
  );
  // This header is not signed, since proxies rewrite it.
  signed["user-agent"] = endpoint.userAgent;
  const options = {
    host: endpoint.hostname,
    port: endpoint.port,
    method,
    path: queryText === "" ? path : `${path}?${queryText}`,
    headers: signed,
    setHost: false,
  };
  return endpoint.isTls
    ? https.request({ ...options, agent: agents.httpsAgent })
    : http.request({ ...options, agent: agents.httpAgent });
}

const minPauseMs = 5000;

/**
 * P188: tells whether there are other keys than those which the store has refused. People and agents replace
 * keys in the shared credentials file, where they have no expiry. The SDK reads them once, so they are
 * resolved again here, past every cache, at most every 5 s.
 */
function createKeyWatch(client: S3Client): (used: SigningCredentials) => Promise<boolean> {
  let resolvedAtMs = -Infinity;
  let resolving: Promise<unknown> | undefined;

  async function isOther(used: SigningCredentials): Promise<boolean> {
    const now = await client.config.credentials();
    return (["accessKeyId", "secretAccessKey", "sessionToken"] as const).some(
      (part) => now[part] !== used[part],
    );
  }

  return async (used) => {
    // Another request may have found the new keys since this one was signed.
    if (await isOther(used)) return true;
    if (performance.now() - resolvedAtMs >= minPauseMs) {
      resolvedAtMs = performance.now();
      // Keys that cannot be resolved now leave those in use.
      resolving = client.config.credentials({ forceRefresh: true }).catch(() => {});
    }
    // Concurrent requests share one resolution.
    await resolving;
    return await isOther(used);
  };
}

const emptySha256 = sha256Hex(Buffer.alloc(0));

/** The query as signatures have it: sorted, everything encoded but letters, digits and `-._~`. */
export function encodedQuery(query: Readonly<Record<string, string>>): string {
  return Object.keys(query)
    .sort()
    .map((name) => `${encoded(name)}=${encoded(query[name] ?? "")}`)
    .join("&");
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function answerTo(
  outgoing: ClientRequest,
  body: ObjectBody | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      outgoing.destroy();
      reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort);
    outgoing.on("close", () => signal.removeEventListener("abort", onAbort));
    outgoing.on("response", resolve);
    outgoing.on("error", reject);
    if (signal.aborted) onAbort();
    else outgoing.end(body?.bytes);
  });
}
