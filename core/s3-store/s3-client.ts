import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { boundAnswers } from "./bounded-answer.ts";
import { s3Error } from "./s3-error.ts";

export interface S3ClientOptions {
  readonly agents: S3Agents;
  readonly forcePathStyle: boolean;
  /** What the SDK takes from the environment otherwise; for tests that talk to several stores at once. */
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

/** The SDK's client, with everything switched off that this driver does itself or that other stores stumble over. */
export function createS3Client({ agents, forcePathStyle, connection }: S3ClientOptions): S3Client {
  const config: S3ClientConfig = {
    forcePathStyle,
    // The SDK would also repeat conditional puts, and report 412 for one that had been stored.
    maxAttempts: 1,
    // Otherwise the SDK sends checksums as trailers, which several S3-compatible stores take for part of the body.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    expectContinueHeader: false,
    followRegionRedirects: false,
    requestHandler: {
      ...agents,
      // Deadlines are set per attempt by the driver; these would not cover a body.
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
 * Streamed bodies hold their sockets for as long as their readers take, hence many. Stores close idle connections
 * without notice; a request that meets such a closing is lost, so a socket is not reused after a longer pause.
 */
const agentOptions = { keepAlive: true, maxSockets: 256, timeout: 15_000 } as const;

/**
 * P183: the clock that requests are signed by is this machine's, until the store refuses a signature for its time; then it is
 * the store's. The SDK follows the `Date` of every answer, so that one wrong answer of a proxy or a node would make all later
 * signatures wrong, also where this machine's clock is right.
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

/** The `Date` of the answer that the SDK made the error of. */
function dateOf(error: unknown): string {
  const headers = property(property(error, "$response"), "headers");
  return String(property(headers, "date") ?? "");
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
