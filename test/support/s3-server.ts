import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { createS3Store, type S3StoreOptions } from "../../core/store/s3-store/s3-store.ts";
import { openServer } from "./open-server.ts";
import { createFaultPlan } from "./s3-server-faults.ts";
import { type Bucket, execute, type S3State, testBucket } from "./s3-server-operations.ts";
import {
  errorResponse,
  operationOf,
  type S3OperationName,
  type S3Request,
  type S3Response,
  S3ServerError,
  standardQuirks,
} from "./s3-server-protocol.ts";
import { type S3Account, verifyBody, verifySignature } from "./s3-server-signature.ts";

export { type Bucket, testBucket } from "./s3-server-operations.ts";

export interface LoggedRequest {
  readonly operation: S3OperationName;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What was, or would have been, answered; `undefined` when nothing was carried out. */
  status: number | undefined;
}

/** Called when a request has been carried out and before it is answered; the answer waits for the promise. */
type RequestHook = (request: LoggedRequest) => void | Promise<void>;

export type S3Server = Awaited<ReturnType<typeof startS3Server>>;

const account: S3Account = { accessKeyId: "test-key", secretAccessKey: "test-secret", region: "eu-test-1" };

/**
 * An S3 server in memory, path style, that goes wrong on demand: with faults, deviations and missing
 * permissions. Signatures, digests, conditions and pages are those of S3.
 */
export async function startS3Server() {
  const faults = createFaultPlan();
  const objects: Bucket = new Map();
  let resets = 0;
  const quirks = standardQuirks();
  const log: LoggedRequest[] = [];
  let hook: RequestHook | undefined;
  let ticks = 0;
  const state: S3State = {
    objects,
    quirks,
    now: () => new Date(Date.now() + quirks.clockAheadMs),
    tick: () => {
      ticks += 1;
      return ticks;
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The Date header follows the server's own clock.
    response.sendDate = false;
    const arrivedAt = state.tick();
    const raw = Buffer.concat(await request.toArray());
    const target = { ...parseTarget(request), arrivedAt };
    const { operation, key, headers } = target;
    const fault = faults.next(operation, key);
    const logged: LoggedRequest = { operation, key, headers, status: undefined };
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
    if (fault === "masked")
      reply = { status: 503, headers: {}, body: Buffer.from("<h1>Service Unavailable</h1>") };
    if (fault === "corrupted" && raw.length === 0) reply = { ...reply, body: flipped(reply.body) };
    if (fault === "late" || fault === "reply_lost") return void socket.destroy();
    reply = { ...reply, headers: { date: state.now().toUTCString(), ...reply.headers } };
    const delimited = quirks.connectionDelimited && operation === "GetObject";
    if (fault === "cut") return sendCut(socket, reply, delimited);
    if (fault === "dripping") return sendDripping(socket, reply);
    if (fault === "stalled") return sendStalled(socket, reply);
    if (delimited) return sendDelimited(socket, reply);
    send(response, reply);
  }

  async function answer(request: IncomingMessage, target: Target, body: Buffer): Promise<S3Response> {
    try {
      verifySignature(request, { ...account, accessKeyId: quirks.accessKeyId }, state.now());
      if (quirks.refusal !== undefined) throw new S3ServerError(400, quirks.refusal);
      verifyBody(request.headers, body, quirks);
      return await execute(state, { ...target, body });
    } catch (error) {
      if (error instanceof S3ServerError) return errorResponse(error);
      throw error;
    }
  }

  function refusal(fault: "before" | "throttled"): S3Response {
    if (fault === "before") return errorResponse(new S3ServerError(500, "InternalError"));
    return errorResponse(
      log.length % 2 === 0 ? new S3ServerError(503, "SlowDown") : new S3ServerError(429, "TooManyRequests"),
    );
  }

  const http = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      // A client that hung up is no error; a malformed request is answered; anything else is a defect of this
      // server.
      if (error instanceof S3ServerError) send(response, errorResponse(error));
      else if (!request.socket.destroyed) request.socket.destroy(error instanceof Error ? error : undefined);
    });
  });
  const { url: endpoint, close } = await openServer(http);
  const connection = { endpoint, region: account.region, credentials: account };

  return {
    endpoint,
    /** For drivers in this process. */
    connection,
    /** For programs in processes of their own. */
    env: {
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_REGION: account.region,
      AWS_ACCESS_KEY_ID: account.accessKeyId,
      AWS_SECRET_ACCESS_KEY: account.secretAccessKey,
    },
    log,
    faults,
    quirks,
    /** The objects of the bucket `programs`, as they are stored. */
    objects,
    /** Replaces the hook; `undefined` for none. */
    onRequest(next: RequestHook | undefined) {
      hook = next;
    },
    /** The driver on its bucket. */
    openStore: (own: Partial<S3StoreOptions> = {}) =>
      createS3Store({
        bucket: testBucket,
        prefix: "",
        forcePathStyle: true,
        timeoutMs: 60_000,
        connection,
        ...own,
      }),
    /** Forgets log, faults, quirks, hook and objects. */
    reset() {
      resets += 1;
      log.length = 0;
      faults.clear();
      hook = undefined;
      objects.clear();
      Object.assign(quirks, standardQuirks());
    },
    close,
  };
}

type Target = Omit<S3Request, "body">;

function parseTarget(request: IncomingMessage): Omit<Target, "arrivedAt"> {
  const { pathname, searchParams: query } = new URL(request.url ?? "", "http://s3");
  const [, bucket = "", ...rest] = pathname.split("/");
  const key = decodeURIComponent(rest.join("/"));
  const headers = Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    ),
  );
  return { operation: operationOf(request.method ?? "", key, query, headers), bucket, key, query, headers };
}

function send(response: ServerResponse, { status, headers, body }: S3Response): void {
  response.writeHead(status, { ...headers, "content-length": body.length });
  if (body.length <= pieceBytes) response.end(body);
  else Readable.from(piecesOf(body)).pipe(response);
}

/**
 * A large body leaves in pieces as over a network, since one write of all would hold up the server's other
 * answers.
 */
async function* piecesOf(body: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += pieceBytes) {
    yield body.subarray(at, at + pieceBytes);
    await setImmediate();
  }
}

const pieceBytes = 64 * 1024;

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  if (copy.length > 0) copy.writeUInt8(copy.readUInt8(0) ^ 1, 0);
  return copy;
}

/** Sends the answer without saying how long it is: its end is the end of the connection. */
function sendDelimited(socket: Socket, reply: S3Response): void {
  socket.end(Buffer.concat([head(reply, true), reply.body]));
}

/** Sends the first half of the answer and ends the connection. */
async function sendCut(socket: Socket, reply: S3Response, delimited: boolean): Promise<void> {
  await sendHalf(socket, reply, delimited);
  socket.end();
  if (!delimited) socket.destroySoon();
}

/** Sends the first half of the answer, and nothing more until the client hangs up. */
async function sendStalled(socket: Socket, reply: S3Response): Promise<void> {
  await sendHalf(socket, reply, false);
  if (!socket.destroyed) await once(socket, "close");
}

/** Sends the body byte by byte until the client hangs up; of an answer without one, the head. */
async function sendDripping(socket: Socket, reply: S3Response): Promise<void> {
  const start = head(reply, false);
  if (reply.body.length > 0) socket.write(start);
  const bytes = reply.body.length === 0 ? start : reply.body;
  for (let at = 0; at < bytes.length && !socket.destroyed; at += 1) {
    socket.write(bytes.subarray(at, at + 1));
    await delay(100);
  }
}

/** Half of the body; of an answer without one, half of its head. */
async function sendHalf(socket: Socket, reply: S3Response, delimited: boolean): Promise<void> {
  const start = head(reply, delimited);
  const { body } = reply;
  const half =
    body.length === 0
      ? start.subarray(0, start.length / 2)
      : Buffer.concat([start, body.subarray(0, body.length / 2)]);
  await new Promise<void>((resolve) => socket.write(half, () => resolve()));
}

function head(reply: S3Response, delimited: boolean): Buffer {
  const end = delimited ? { connection: "close" } : { "content-length": String(reply.body.length) };
  const lines = Object.entries({ ...reply.headers, ...end }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status]}\r\n${lines.join("")}\r\n`);
}
