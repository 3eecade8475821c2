import { GetObjectCommand, type S3Client } from "@aws-sdk/client-s3";

/** The parts that all plain requests for the objects of a bucket share, as the SDK would make them. */
export interface RequestTemplate {
  readonly isTls: boolean;
  /** The endpoint's host, without brackets. */
  readonly hostname: string;
  readonly port: number | undefined;
  /** The encoded path before a key. It begins and ends with `/`. */
  readonly pathPrefix: string;
  readonly host: string;
  readonly userAgent: string;
  /** Used in the signature, like `service`. */
  readonly region: string;
  readonly service: string;
}

/**
 * Lets the SDK prepare a request for an object without sending it, and keeps endpoint, path style, region and the service's name
 * for the signature, from all places where the SDK looks for its configuration. `undefined` where a request needs more than
 * the usual signature (directory buckets, access points of several regions, endpoints with a query). The SDK sends those.
 */
export async function requestTemplate(
  client: S3Client,
  bucket: string,
): Promise<RequestTemplate | undefined> {
  let template: RequestTemplate | undefined;
  const command = new GetObjectCommand({ Bucket: bucket, Key: sampleKey });
  command.middlewareStack.add(
    (_next, context) => async (args) => {
      template = templateOf(args.request, context);
      // The SDK takes this for the answer, so nothing is sent.
      return { response: undefined, output: { $metadata: {} } };
    },
    { step: "finalizeRequest", name: "requestTemplate" },
  );
  await client.send(command);
  return template;
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

function templateOf(request: unknown, context: SigningContext): RequestTemplate | undefined {
  const [scheme] = context.authSchemes ?? [];
  const schemeId = context.__smithy_context?.selectedHttpAuthScheme?.httpAuthOption.schemeId;
  if (scheme?.name !== "sigv4" || schemeId !== "aws.auth#sigv4" || !isBuiltRequest(request)) return undefined;
  const { signingRegion: region, signingName: service } = scheme;
  const { protocol, hostname, port, path, query, headers } = request;
  const { host, "user-agent": userAgent = "" } = headers;
  if (region === undefined || service === undefined || host === undefined) return undefined;
  if (request.username !== undefined || Object.keys(query).some((name) => name !== "x-id")) return undefined;
  if (!path.endsWith(`/${sampleKey}`)) return undefined;
  return {
    isTls: protocol === "https:",
    hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
    port,
    pathPrefix: path.slice(0, -sampleKey.length),
    host,
    userAgent,
    region,
    service,
  };
}

interface BuiltRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: number | undefined;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly username: string | undefined;
}

function isBuiltRequest(request: unknown): request is BuiltRequest {
  return (
    typeof request === "object" &&
    request !== null &&
    ["protocol", "hostname", "path", "query", "headers"].every((name) => name in request)
  );
}
