import { createHash } from "node:crypto";
import { BadOptionError, createConnection, type Headers } from "./programs-connection.ts";

/**
 * What every request of the client goes through: one at a time, within the quota, repeated where that may
 * help.
 */
export interface RequestOptions {
  /** The base address that came with the token; a path prefix is kept. */
  readonly baseUrl: string;
  readonly token: string;
  /** How long one request may take, body included. */
  readonly timeoutMs?: number;
  /** How often a request is made that ends in a 429, a 500 or a broken connection. */
  readonly maxAttempts?: number;
  /** Requests of each window that are left to your other processes with this token. */
  readonly keepFree?: number;
  /** Ends the client's work, its pauses too. */
  readonly signal?: AbortSignal;
  /** Called after each request, whatever became of it: for your log. */
  readonly onCall?: (call: Call) => void;
}

/** A request that was made. */
export interface Call {
  readonly path: string;
  /** 0 when there was no answer of the API. */
  readonly status: number;
  /** For support. */
  readonly requestId: string;
  readonly ms: number;
}

export interface Answer {
  readonly status: 200 | 404;
  readonly snapshotId: string;
  /** When the data of the snapshot was read; empty where the answer does not say. */
  readonly generatedAt: string;
  /**
   * Of a list: the programs whose detail has changed since the snapshot that was named; `undefined` where the
   * API can't say.
   */
  readonly changedIds: readonly string[] | undefined;
  readonly requestId: string;
  readonly body: unknown;
}

/** Why the API gave no data. `status` is 0 when there was no answer of the API; `cause` says why. */
export class ProgramsApiError extends Error {
  readonly status: number;
  readonly requestId: string;
  /** Nothing else can be read now, either: the token is refused, or the API asks to wait for too long. */
  readonly endsPoll: boolean;

  constructor(path: string, status: number, requestId: string, cause?: unknown, waitMs = 0) {
    const wait = ` and a wait of ${Math.ceil(waitMs / 1000)} s, more than the 15 minutes that a poll waits`;
    const what =
      status === 0 ? `no answer (${reasonOf(cause)})` : `status ${status}${waitMs > 0 ? wait : ""}`;
    super(`GET ${path}: ${what}, request ${requestId}`, { cause });
    this.name = "ProgramsApiError";
    this.status = status;
    this.requestId = requestId;
    this.endsPoll = status === 401 || waitMs > 0;
  }
}

/** Whether the body of a 200 has the form that was asked for. */
export type IsData = (body: unknown) => boolean;

export interface GetOptions {
  /** How often it is asked for; `maxAttempts` when left out. */
  readonly attempts?: number;
  /** The snapshot of your last list, for `changedIds`. */
  readonly since?: string;
  /**
   * It is one of many details: a server error of it says nothing about the others, nor does its
   * `Retry-After`.
   */
  readonly isDetail?: boolean;
}

export interface Requester {
  /** The answer of a 200 or a 404. Throws `ProgramsApiError` when asking again would not help, or did not. */
  get(path: string, isData: IsData, options?: GetOptions): Promise<Answer>;
  /** Resolves after some milliseconds. Throws when the signal ends the client's work. */
  pause(ms: number): Promise<void>;
  /** How long the next request will wait before it is sent. */
  waitMs(): number;
  /** About how long the quota makes so many further requests wait. */
  secondsFor(requests: number): number;
  /** A digest of the token. */
  readonly source: string;
  /** Requests made so far. */
  readonly count: number;
}

interface Attempt {
  readonly status: number;
  readonly headers: Headers;
  readonly body?: unknown;
  readonly error?: unknown;
}

/** What is left of a window and how long it lasts, and what each further one allows. */
interface Quota {
  readonly left: number;
  readonly seconds: number;
  readonly perWindow: number;
  readonly windowSeconds: number;
}

/** No window of a quota is longer. */
const longestWindowMs = 86_400_000;
/** A poll that waited longer would keep its lock, and nobody would hear of it. */
const longestPauseMs = 900_000;

export function createRequester(options: RequestOptions): Requester {
  const { baseUrl, token, timeoutMs = 30_000, maxAttempts = 6, keepFree = 0, signal, onCall } = options;
  if (!/^[!-~]+$/.test(token))
    throw new BadOptionError(
      "The token is empty, or has a character that none has (a line break at its end?).",
    );
  const connection = createConnection(baseUrl);
  const source = createHash("sha256").update(token).digest("hex");
  let count = 0;
  /**
   * When the window ends that has no room left, or the time that `Retry-After` said, as `performance.now()`.
   */
  let fullUntil = 0;
  /** The status and request id of the answer that said so. */
  let fullBy: readonly [status: number, requestId: string] = [0, ""];
  let quota: Quota | undefined;
  const waitMs = (): number => Math.max(0, fullUntil - performance.now());

  async function attempt(path: string, isData: IsData, more: Record<string, string>): Promise<Attempt> {
    const sent = { authorization: `Bearer ${token}`, ...more };
    const deadline = AbortSignal.timeout(timeoutMs);
    const ended = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
    try {
      const { status, headers, text } = await connection.get(path, sent, ended);
      if (status !== 200) return { status, headers };
      const body = JSON.parse(text);
      // Every 200 of the API names its snapshot. A list of somebody else must not empty the copy.
      if (onlyValue(headers["snapshot-id"]) === "" || !isData(body))
        throw new Error("a 200 that is not the API's");
      return { status, headers, body };
    } catch (error) {
      // Also a body that was cut, or a page of a proxy: it counts as no answer.
      return { status: 0, headers: {}, error };
    }
  }

  async function get(path: string, isData: IsData, options: GetOptions = {}): Promise<Answer> {
    const { attempts = maxAttempts, since = "", isDetail = false } = options;
    for (let turn = 1; ; turn += 1) {
      signal?.throwIfAborted();
      if (waitMs() > longestPauseMs) throw new ProgramsApiError(path, ...fullBy, undefined, waitMs());
      await pause(waitMs(), signal);
      const sentId = crypto.randomUUID();
      count += 1;
      const from = performance.now();
      const { status, headers, body, error } = await attempt(path, isData, {
        "x-request-id": sentId,
        ...(since === "" ? {} : { "snapshot-since": since }),
      });
      const requestId = headers["x-request-id"] ?? sentId;
      onCall?.({ path, status, requestId, ms: Math.round(performance.now() - from) });
      signal?.throwIfAborted();
      const told = quotaOf(headers, keepFree);
      quota = told ?? quota;
      // Kept for the next call, too: it may follow a last attempt at once.
      const mayPass = status === 0 || status === 429 || status >= 500;
      const toldMs = mayPass ? retryAfterMs(headers) : undefined;
      const isItsOwn = isDetail && status >= 500;
      const pauseMs = Math.max(told?.left === 0 ? told.seconds * 1000 : 0, isItsOwn ? 0 : (toldMs ?? 0));
      const until = performance.now() + Math.min(pauseMs, longestWindowMs);
      if (until > fullUntil) [fullUntil, fullBy] = [until, [status, requestId]];
      if (status === 200 || status === 404)
        return {
          status,
          snapshotId: onlyValue(headers["snapshot-id"]),
          generatedAt: onlyValue(headers["snapshot-generated-at"]),
          changedIds: changedIdsOf(headers),
          requestId,
          body,
        };
      const tooLongMs = mayPass && waitMs() > longestPauseMs ? waitMs() : 0;
      const isGivenUp = turn >= attempts || tooLongMs > 0 || (isItsOwn && toldMs !== undefined);
      if (!mayPass || isGivenUp) throw new ProgramsApiError(path, status, requestId, error, tooLongMs);
      if (toldMs === undefined) await pause(backOffMs(turn), signal);
    }
  }

  return {
    get,
    pause: (ms) => pause(ms, signal),
    waitMs,
    secondsFor(requests) {
      if (quota === undefined || requests <= quota.left) return 0;
      const { left, seconds, perWindow, windowSeconds } = quota;
      return seconds + Math.floor((requests - left - 1) / perWindow) * windowSeconds;
    },
    source,
    get count() {
      return count;
    },
  };
}

/** A header that has one value, which a proxy may have repeated; empty where it has none, or several. */
function onlyValue(said: string | undefined): string {
  const values = new Set(partsOf(said));
  return values.size === 1 ? ([...values][0] ?? "") : "";
}

function partsOf(said = ""): readonly string[] {
  return said
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/**
 * `Snapshot-Changed`: ids and commas, nothing for none, `*` where the gateway can't say, whatever stands
 * beside it. An older gateway has no such header.
 */
function changedIdsOf(headers: Headers): readonly string[] | undefined {
  const said = headers["snapshot-changed"];
  const ids = partsOf(said);
  return said === undefined || ids.includes("*") ? undefined : ids;
}

/**
 * What the quota still allows: `RateLimit: "default";r=<left>;t=<seconds>`, `RateLimit-Policy:
 * "default";q=<requests>;w=<seconds>`. When nothing is left, nothing is asked until the window ends, so that
 * the quota is never exceeded.
 */
function quotaOf(headers: Headers, keepFree: number): Quota | undefined {
  const [, left, seconds] = /;r=(\d+);t=(\d+)/.exec(headers.ratelimit ?? "") ?? [];
  const [, all, windowSeconds] = /;q=(\d+);w=(\d+)/.exec(headers["ratelimit-policy"] ?? "") ?? [];
  if (left === undefined) return undefined;
  return {
    left: Math.max(0, Number(left) - keepFree),
    seconds: Number(seconds),
    perWindow: Math.max(1, Number(all ?? Number.POSITIVE_INFINITY) - keepFree),
    windowSeconds: Number(windowSeconds ?? 0),
  };
}

/**
 * What a 429, or a 503 of a proxy, says: seconds or, from a proxy, a date, which counts from the answer's
 * own.
 */
function retryAfterMs(headers: Headers): number | undefined {
  const said = headers["retry-after"] ?? "";
  const from = Date.parse(headers.date ?? "") || Date.now();
  const ms = /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - from;
  // Some further milliseconds, so that your processes don't all come back at once.
  return Number.isNaN(ms) ? undefined : Math.max(0, ms) + Math.random() * 500;
}

function backOffMs(turn: number): number {
  return Math.random() * Math.min(60_000, 500 * 2 ** turn);
}

/** As short as the system has it: `ECONNREFUSED`, `ENOTFOUND`, `ABORT_ERR` after the timeout. */
function reasonOf(cause: unknown): string {
  const { code, message } = Object(cause) as { code?: unknown; message?: unknown };
  return String(code ?? message);
}

/** Resolves after some milliseconds, or rejects once the signal is aborted. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  // No further event tells of a signal that is aborted already.
  if (signal?.aborted) return Promise.reject(signal.reason);
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const end = (): void => {
      signal?.removeEventListener("abort", stop);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
