import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { decodedBody } from "./s3-server-body.ts";
import { controlReply, isControl } from "./s3-server-control.ts";
import { createFaultPlan, type FaultKind, type FaultPlan } from "./s3-server-faults.ts";
import type { Bucket } from "./s3-server-objects.ts";
import { execute, type S3State } from "./s3-server-operations.ts";
import {
  errorResponse,
  operationOf,
  type S3OperationName,
  type S3Request,
  type S3Response,
  S3ServerError,
} from "./s3-server-protocol.ts";
import { type S3Quirks, standardQuirks } from "./s3-server-quirks.ts";
import { sendCut, sendDelimited, sendDripping, sendReply, sendStalled } from "./s3-server-reply.ts";
import { type S3Account, verifySignature } from "./s3-server-signature.ts";

export interface LoggedRequest {
  /** Counted from 1 in the order of arrival. */
  readonly number: number;
  readonly operation: S3OperationName;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fault: FaultKind | undefined;
  /** What was, or would have been, answered; `undefined` when nothing was carried out. */
  status: number | undefined;
}

/** Called when a request has been carried out and before it is answered; the answer waits for the promise. */
export type RequestHook = (request: LoggedRequest) => void | Promise<void>;

export interface S3Server {
  readonly endpoint: string;
  /** For drivers in this process. */
  readonly connection: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: Pick<S3Account, "accessKeyId" | "secretAccessKey">;
  };
  /** For programs in processes of their own. */
  readonly env: Readonly<Record<string, string>>;
  readonly log: LoggedRequest[];
  readonly faults: FaultPlan;
  readonly quirks: S3Quirks;
  /** The objects of the bucket `programs`, as they are stored. */
  readonly objects: Bucket;
  /** Replaces the hook; `undefined` for none. */
  onRequest(hook: RequestHook | undefined): void;
  /** Forgets log, faults, quirks, hook and objects. */
  reset(): void;
  close(): Promise<void>;
}

export const testBucket = "programs";
const account: S3Account = { accessKeyId: "test-key", secretAccessKey: "test-secret", region: "eu-test-1" };

/**
 * An S3 server in memory, path style, that goes wrong on demand: with seeded faults, deviations and missing
 * permissions. Signatures, digests, conditions and pages are those of S3.
 */
export async function startS3Server(options: { readonly seed?: number } = {}): Promise<S3Server> {
  const faults = createFaultPlan(options.seed ?? 1);
  const objects: Bucket = new Map();
  let resets = 0;
  const quirks = standardQuirks();
  const log: LoggedRequest[] = [];
  let hook: RequestHook | undefined;
  let ticks = 0;
  const state: S3State = {
    buckets: new Map([[testBucket, objects]]),
    quirks,
    now: () => new Date(Date.now() + quirks.clockAheadMs),
    random: faults.random,
    tick: () => {
      ticks += 1;
      return ticks;
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The Date header follows the server's own clock.
    response.sendDate = false;
    response.setHeader("date", state.now().toUTCString());
    const arrivedAt = state.tick();
    const raw = await wholeBody(request);
    if (isControl(request)) {
      sendReply(response, controlReply(request, raw, server), false);
      return;
    }
    const target = { ...parseTarget(request), arrivedAt };
    const fault = faults.next(target.operation, target.key);
    const logged: LoggedRequest = {
      number: log.length + 1,
      operation: target.operation,
      key: target.key,
      headers: target.headers,
      fault,
      status: undefined,
    };
    log.push(logged);
    const { socket } = request;

    if (fault === "dropped") return void socket.destroy();
    const resetsBefore = resets;
    if (fault === "late" && !socket.destroyed) await once(socket, "close");
    // Of the test before: it must not write into what this one has prepared.
    if (resets !== resetsBefore) return;
    const body = fault === "corrupted" ? flipped(raw) : raw;
    let reply =
      fault === "before" || fault === "throttled" ? refusal(fault) : await answer(request, target, body);
    logged.status = reply.status;
    await hook?.(logged);
    if (fault === "corrupted" && raw.length === 0) reply = { ...reply, body: flipped(reply.body) };
    if (fault === "late" || fault === "reply_lost") return void socket.destroy();
    const dated = { ...reply, headers: { date: state.now().toUTCString(), ...reply.headers } };
    const delimited = quirks.connectionDelimited && target.operation === "GetObject";
    if (fault === "cut") return sendCut(socket, dated, delimited);
    if (fault === "dripping") return sendDripping(socket, dated);
    if (fault === "stalled") return sendStalled(socket, dated);
    if (delimited) return sendDelimited(socket, dated);
    sendReply(response, reply, request.method === "HEAD");
  }

  async function answer(request: IncomingMessage, target: Target, raw: Buffer): Promise<S3Response> {
    try {
      verifySignature(request, { ...account, accessKeyId: quirks.accessKeyId }, state.now());
      if (quirks.refusal !== undefined) throw new S3ServerError(400, quirks.refusal);
      const body = decodedBody(target.headers, raw, quirks);
      return await execute(state, { ...target, body });
    } catch (error) {
      if (error instanceof S3ServerError) return errorResponse(error);
      throw error;
    }
  }

  function refusal(fault: "before" | "throttled"): S3Response {
    if (fault === "before") return errorResponse(new S3ServerError(500, "InternalError"));
    const [status, code] =
      faults.random() < 0.5 ? ([503, "SlowDown"] as const) : ([429, "TooManyRequests"] as const);
    return errorResponse(new S3ServerError(status, code));
  }

  const http = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      // A client that hung up is no error; a malformed request is answered; anything else is a defect of this server.
      if (error instanceof S3ServerError)
        sendReply(response, errorResponse(error), request.method === "HEAD");
      else if (!request.socket.destroyed) request.socket.destroy(error instanceof Error ? error : undefined);
    });
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const endpoint = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;

  const server: S3Server = {
    endpoint,
    connection: { endpoint, region: account.region, credentials: account },
    env: {
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_REGION: account.region,
      AWS_ACCESS_KEY_ID: account.accessKeyId,
      AWS_SECRET_ACCESS_KEY: account.secretAccessKey,
    },
    log,
    faults,
    quirks,
    objects,
    onRequest(next) {
      hook = next;
    },
    reset() {
      resets += 1;
      log.length = 0;
      faults.clear();
      hook = undefined;
      objects.clear();
      Object.assign(quirks, standardQuirks());
    },
    async close() {
      http.close();
      http.closeAllConnections();
      await once(http, "close");
    },
  };
  return server;
}

type Target = Omit<S3Request, "body">;

function parseTarget(request: IncomingMessage): Omit<Target, "arrivedAt"> {
  const [path = "", queryText = ""] = (request.url ?? "").split("?");
  const [, bucket = "", ...rest] = path.split("/");
  const key = decodeURIComponent(rest.join("/"));
  const query = new URLSearchParams(queryText);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === "string") headers[name] = value;
  return {
    operation: operationOf(request.method ?? "", bucket, key, query, headers),
    bucket,
    key,
    query,
    headers,
  };
}

async function wholeBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  if (copy.length > 0) copy.writeUInt8(copy.readUInt8(0) ^ 1, 0);
  return copy;
}
