import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { createConnection } from "./programs-connection.ts";

/** What every request of the client goes through: one at a time, within the quota, repeated where that may help. */
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
}

export interface Answer {
  readonly status: 200 | 404;
  readonly snapshotId: string;
  readonly body: unknown;
}

/** Why the API gave no data. `status` is 0 when there was no answer of the API; `cause` says why. */
export class ProgramsApiError extends Error {
  readonly status: number;
  readonly requestId: string;

  constructor(path: string, status: number, requestId: string, cause?: unknown) {
    const what = status === 0 ? `no answer (${reasonOf(cause)})` : `status ${status}`;
    super(`GET ${path}: ${what}, request ${requestId}`, { cause });
    this.name = "ProgramsApiError";
    this.status = status;
    this.requestId = requestId;
  }
}

/** Whether the body of a 200 has the form that was asked for. */
export type IsData = (body: unknown) => boolean;

export interface Requester {
  /** The answer of a 200 or a 404. Throws `ProgramsApiError` when asking again would not help, or did not. */
  get(path: string, isData: IsData): Promise<Answer>;
  /** Whose programs they are: a digest of the token. */
  readonly source: string;
  /** Requests made so far. */
  readonly count: number;
}

interface Attempt {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body?: unknown;
  readonly error?: unknown;
}

/** No window of a quota is longer, and timers take no more than 24 of these. */
const longestPauseMs = 86_400_000;

export function createRequester(options: RequestOptions): Requester {
  const { baseUrl, token, timeoutMs = 30_000, maxAttempts = 6, keepFree = 0, signal } = options;
  if (!/^[!-~]+$/.test(token))
    throw new Error("The token is empty, or has a character that none has (a line break at its end?).");
  const connection = createConnection(baseUrl);
  const source = createHash("sha256").update(token).digest("hex");
  let count = 0;
  /** When the window ends that has no room left, or the time that `Retry-After` said, as `performance.now()`. */
  let fullUntil = 0;

  async function attempt(path: string, isData: IsData, requestId: string): Promise<Attempt> {
    const sent = { authorization: `Bearer ${token}`, "x-request-id": requestId };
    const deadline = AbortSignal.timeout(timeoutMs);
    const ended = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
    try {
      const { status, headers, text } = await connection.get(path, sent, ended);
      if (status !== 200) return { status, headers };
      const body = JSON.parse(text);
      // Every 200 of the API names its snapshot. A list of somebody else must not empty the copy.
      if (snapshotIdOf(headers) === "" || !isData(body)) throw new Error("a 200 that is not the API's");
      return { status, headers, body };
    } catch (error) {
      // Also a body that was cut, or a page of a proxy: it counts as no answer.
      return { status: 0, headers: {}, error };
    }
  }

  async function get(path: string, isData: IsData): Promise<Answer> {
    for (let turn = 1; ; turn += 1) {
      await pause(fullUntil - performance.now(), signal);
      const requestId = crypto.randomUUID();
      count += 1;
      const { status, headers, body, error } = await attempt(path, isData, requestId);
      signal?.throwIfAborted();
      // Kept for the next call, too: it may follow a last attempt at once.
      const toldMs = retryAfterMs(headers);
      const pauseMs = Math.max(windowLeftMs(headers, keepFree), toldMs ?? 0);
      fullUntil = Math.max(fullUntil, performance.now() + pauseMs);
      if (status === 200 || status === 404) return { status, snapshotId: snapshotIdOf(headers), body };
      const mayPass = status === 0 || status === 429 || status >= 500;
      if (!mayPass || turn >= maxAttempts) throw new ProgramsApiError(path, status, requestId, error);
      if (toldMs === undefined) await pause(backOffMs(turn), signal);
    }
  }

  return {
    get,
    source,
    get count() {
      return count;
    },
  };
}

function snapshotIdOf(headers: IncomingHttpHeaders): string {
  return String(headers["snapshot-id"] ?? "");
}

/** How long to ask nothing, so that the quota is never exceeded: `RateLimit: "default";r=<left>;t=<seconds>`. */
function windowLeftMs(headers: IncomingHttpHeaders, keepFree: number): number {
  const [, left, seconds] = /;r=(\d+);t=(\d+)/.exec(String(headers.ratelimit ?? "")) ?? [];
  return left !== undefined && Number(left) <= keepFree ? Number(seconds) * 1000 : 0;
}

/** What a 429, or a 503 of a proxy, says: seconds or, from a proxy, a date, which counts from the answer's own. */
function retryAfterMs(headers: IncomingHttpHeaders): number | undefined {
  const said = headers["retry-after"] ?? "";
  const from = Date.parse(headers.date ?? "") || Date.now();
  const ms = /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - from;
  // Some further milliseconds, so that your processes don't all come back at once.
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), longestPauseMs) + Math.random() * 500;
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
    const timer = setTimeout(end, Math.min(ms, longestPauseMs));
    signal?.addEventListener("abort", stop, { once: true });
  });
}
