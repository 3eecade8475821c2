import { GetObjectCommand, type S3Client } from "@aws-sdk/client-s3";

/** What all plain requests for the objects of a bucket have in common, as the SDK would make them. */
export interface RequestTemplate {
  readonly isTls: boolean;
  /** Of the endpoint, without brackets. */
  readonly hostname: string;
  readonly port: number | undefined;
  /** What stands before a key in the path, encoded; begins and ends with `/`. */
  readonly pathPrefix: string;
  readonly host: string;
  readonly userAgent: string;
  /** For the signature. */
  readonly region: string;
  readonly service: string;
}

/**
 * Lets the SDK make a request for an object, up to the network, and keeps what it found out on the way: endpoint, path
 * style, region and name for the signature, from wherever the SDK takes its configuration. `undefined` where a request
 * takes more than a signature of the usual kind (directory buckets, access points of several regions, endpoints with
 * a query): such calls are the SDK's.
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
      // The SDK takes it for an answer; nothing is sent.
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
