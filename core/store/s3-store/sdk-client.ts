import { globalAgent, Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { defaultProvider } from "@aws-sdk/credential-provider-node";
import { Failure } from "../../ground/failure.ts";
import { maxCallsAtOnce } from "../object-store.ts";
import { createSign } from "./signature.ts";

/**
 * The SDK is used for what it finds out: endpoint, region, credentials and the service's name for signatures,
 * from all places where AWS keeps configuration. Requests are made without it, since its middleware takes
 * more than ten times as long.
 */
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

/**
 * There are many sockets because a streamed body holds its socket for as long as its reader takes. Stores
 * close idle connections without notice, and a request sent just then is lost. So a socket is not used again
 * after a longer pause.
 *
 * P189: with NODE_USE_ENV_PROXY=1, a Node.js that knows it gives its own agent the proxies of the
 * environment, and so do we.
 */
export function createS3Agents(): S3Agents {
  const proxyEnv: unknown = Reflect.get(Reflect.get(globalAgent, "options"), "proxyEnv");
  const options = { keepAlive: true, maxSockets: maxCallsAtOnce, timeout: 15_000, proxyEnv };
  return { httpAgent: new HttpAgent(options), httpsAgent: new HttpsAgent(options) };
}

export interface S3ClientOptions {
  readonly agents: S3Agents;
  /** Whether the bucket is named in the path. */
  readonly forcePathStyle: boolean;
  /** Replaces what the SDK takes from the environment, for tests that use several stores at once. */
  readonly connection?: S3Connection | undefined;
}

/** The agents also serve the SDK's calls for credentials. `ignoreCache`: see `createKeyWatch`. */
export function createS3Client({ agents, forcePathStyle, connection }: S3ClientOptions): S3Client {
  return new S3Client({
    forcePathStyle,
    requestHandler: agents,
    credentialDefaultProvider: (init) => defaultProvider({ ...init, ignoreCache: true }),
    ...connection,
  });
}

/** The parts that all requests for the bucket share. */
export type BucketEndpoint = NonNullable<ReturnType<typeof endpointOf>>;

/** Lets the SDK prepare a request without sending it. Throws `store_unsupported` for another signature. */
export async function bucketEndpoint(client: S3Client, bucket: string): Promise<BucketEndpoint> {
  let endpoint: BucketEndpoint | undefined;
  const command = new GetObjectCommand({ Bucket: bucket, Key: sampleKey });
  command.middlewareStack.add(
    (_next, context) => async (args) => {
      endpoint = endpointOf(args.request as BuiltRequest, context);
      // The SDK takes this for the answer, so nothing is sent.
      return { response: undefined, output: { $metadata: {} } };
    },
    { step: "finalizeRequest", name: "bucketEndpoint" },
  );
  await client.send(command);
  if (endpoint !== undefined) return endpoint;
  throw new Failure(
    "store_unsupported",
    `s3://${bucket}/: requests to this bucket need another signature than AWS Signature Version 4 (an S3 directory bucket?); use a general-purpose bucket.`,
  );
}

const sampleKey = "k";

interface SigningContext {
  readonly authSchemes?: readonly {
    readonly name: string;
    readonly signingRegion?: string;
    readonly signingName?: string;
  }[];
  readonly __smithy_context?: {
    readonly selectedHttpAuthScheme?: { readonly httpAuthOption: { readonly schemeId: string } };
  };
}

function endpointOf(request: BuiltRequest, context: SigningContext) {
  const [scheme] = context.authSchemes ?? [];
  const schemeId = context.__smithy_context?.selectedHttpAuthScheme?.httpAuthOption.schemeId;
  if (scheme?.name !== "sigv4" || schemeId !== "aws.auth#sigv4") return undefined;
  const { signingRegion: region, signingName: service } = scheme;
  const { protocol, hostname, port, path, headers } = request;
  const { host, "user-agent": userAgent = "" } = headers;
  if (region === undefined || service === undefined || host === undefined) return undefined;
  if (!path.endsWith(`/${sampleKey}`)) return undefined;
  return {
    isTls: protocol === "https:",
    /** Without brackets. */
    hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
    port,
    /** The encoded path before a key. It begins and ends with `/`. */
    pathPrefix: path.slice(0, -sampleKey.length),
    host,
    userAgent,
    sign: createSign(region, service),
  };
}

/** The part of the SDK's request that is used. */
interface BuiltRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: number | undefined;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}
