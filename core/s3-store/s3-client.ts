import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { pipeline, Readable, Transform } from "node:stream";
import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { s3Error } from "./s3-error.ts";

interface S3ClientOptions {
  readonly agents: S3Agents;
  readonly forcePathStyle: boolean;
  /** Replaces what the SDK takes from the environment, for tests that use several stores at once. */
  readonly connection?: S3Connection | undefined;
}

export interface S3Connection {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** The connections of a driver, which all its calls share. */
export interface S3Agents {
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
}

export function createS3Agents(): S3Agents {
  return { httpAgent: new HttpAgent(agentOptions), httpsAgent: new HttpsAgent(agentOptions) };
}

/** The SDK's client, without the features that this driver has itself or that break other stores. */
export function createS3Client({ agents, forcePathStyle, connection }: S3ClientOptions): S3Client {
  const config: S3ClientConfig = {
    forcePathStyle,
    // The SDK would also repeat conditional puts, and report 412 for one that was stored.
    maxAttempts: 1,
    // Otherwise the SDK sends checksums as trailers, which several S3-compatible stores read as part of the body.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    expectContinueHeader: false,
    followRegionRedirects: false,
    requestHandler: {
      ...agents,
      // The driver sets a deadline per attempt. The SDK's own timeouts would not cover a body.
      requestTimeout: 0,
      connectionTimeout: 0,
      socketTimeout: 0,
    },
    ...connection,
  };
  const client = new S3Client(config);
  boundAnswers(client);
  keepSigningClock(client);
  return client;
}

/**
 * There are many sockets because a streamed body holds its socket for as long as its reader takes. Stores close idle connections
 * without notice, and a request sent just then is lost. So a socket is not used again after a longer pause.
 */
const agentOptions = { keepAlive: true, maxSockets: 256, timeout: 15_000 } as const;

/**
 * P183: requests are signed with this machine's time until the store refuses a signature because of its time; from then on with
 * the store's time. The SDK itself follows the `Date` of every answer, so one wrong answer of a proxy or a node would make all
 * later signatures wrong, even if this machine's clock is right.
 */
function keepSigningClock(client: S3Client): void {
  let offsetMs = 0;
  Object.defineProperty(client.config, "systemClockOffset", {
    get: () => offsetMs,
    set: () => {},
  });
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        const storeMs = s3Error(error).kind === "clock_skew" ? Date.parse(dateOf(error)) : Number.NaN;
        if (!Number.isNaN(storeMs)) offsetMs = storeMs - Date.now();
        throw error;
      }
    },
    { step: "finalizeRequest", priority: "high", name: "keepSigningClock" },
  );
}

/** The `Date` header of the answer behind the SDK's error. */
function dateOf(error: unknown): string {
  const headers = property(property(error, "$response"), "headers");
  return String(property(headers, "date") ?? "");
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** Enough for a page of 1,000 keys of 1,024 escaped bytes, with what S3 says about each. */
const maxAnswerBytes = 8 * 1024 * 1024;
/** S3's errors have some hundred bytes, and a proxy's error page a few thousand. */
const maxErrorBytes = 64 * 1024;

/**
 * Bounds all answers that the SDK reads into memory: listings, errors, everything but the body of an object. Otherwise a store
 * that never ends an answer could fill the memory before the call's deadline.
 */
function boundAnswers(client: S3Client): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      const { response } = result;
      if (!isAnswer(response)) return result;
      const isError = response.statusCode >= 300;
      // The driver reads an object's body itself and checks its length.
      if (!isError && context.commandName === "GetObjectCommand") return result;
      response.body = bounded(response.body, isError ? maxErrorBytes : maxAnswerBytes);
      return result;
    },
    // This middleware is the nearest to the network, so nothing has read the body yet.
    { step: "deserialize", priority: "low", name: "boundAnswers" },
  );
}

/** Treated like an error of the network: another attempt may get a better answer. */
class AnswerTooLarge extends Error {
  readonly code = "ANSWER_TOO_LARGE";
}

function bounded(body: Readable, maxBytes: number): Readable {
  let left = maxBytes;
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      if (left < 0) done(new AnswerTooLarge(`more than ${maxBytes} bytes`));
      else done(null, chunk);
    },
  });
  // An error of either stream ends both, and reading throws it.
  return pipeline(body, limit, () => {});
}

function isAnswer(response: unknown): response is { readonly statusCode: number; body: Readable } {
  return (
    typeof response === "object" &&
    response !== null &&
    "statusCode" in response &&
    typeof response.statusCode === "number" &&
    "body" in response &&
    response.body instanceof Readable
  );
}
