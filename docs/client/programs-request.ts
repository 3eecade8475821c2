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

/** Why the API gave no data. `status` is 0 for a connection that broke. */
export class ProgramsApiError extends Error {
  readonly status: number;
  readonly requestId: string;

  constructor(path: string, status: number, requestId: string, cause?: unknown) {
    super(`GET ${path}: ${status === 0 ? "no answer" : `status ${status}`}, request ${requestId}`, { cause });
    this.name = "ProgramsApiError";
    this.status = status;
    this.requestId = requestId;
  }
}

export interface Requester {
  /** The answer of a 200 or a 404. Throws `ProgramsApiError` when asking again would not help, or did not. */
  get(path: string): Promise<Answer>;
  /** Requests made so far. */
  readonly count: number;
}

interface Attempt {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body?: unknown;
  readonly error?: unknown;
}

export function createRequester(options: RequestOptions): Requester {
  const { token, timeoutMs = 30_000, maxAttempts = 6, keepFree = 0, signal } = options;
  const connection = createConnection(options.baseUrl);
  let count = 0;
  /** When the window ends that has no room left, as `performance.now()`. */
  let fullUntil = 0;

  async function attempt(path: string, requestId: string): Promise<Attempt> {
    const sent = { authorization: `Bearer ${token}`, "x-request-id": requestId };
    const deadline = AbortSignal.timeout(timeoutMs);
    const ended = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
    try {
      const { status, headers, text } = await connection.get(path, sent, ended);
      return { status, headers, body: status === 200 ? JSON.parse(text) : undefined };
    } catch (error) {
      // Also a body that was cut: it counts as no answer.
      return { status: 0, headers: {}, error };
    }
  }

  async function get(path: string): Promise<Answer> {
    for (let turn = 1; ; turn += 1) {
      await pause(fullUntil - performance.now(), signal);
      const requestId = crypto.randomUUID();
      count += 1;
      const { status, headers, body, error } = await attempt(path, requestId);
      signal?.throwIfAborted();
      fullUntil = Math.max(fullUntil, performance.now() + windowLeftMs(headers, keepFree));
      if (status === 200 || status === 404) return { status, snapshotId: snapshotIdOf(headers), body };
      const mayPass = status === 0 || status === 429 || status >= 500;
      if (!mayPass || turn >= maxAttempts) throw new ProgramsApiError(path, status, requestId, error);
      await pause(status === 429 ? retryAfterMs(headers) : backOffMs(turn), signal);
    }
  }

  return {
    get,
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

function retryAfterMs(headers: IncomingHttpHeaders): number {
  // Some further milliseconds, so that your processes don't all come back at once.
  return Number(headers["retry-after"] ?? 1) * 1000 + Math.random() * 500;
}

function backOffMs(turn: number): number {
  return Math.random() * Math.min(60_000, 500 * 2 ** turn);
}

/** Resolves after some milliseconds, or rejects once the signal is aborted. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
