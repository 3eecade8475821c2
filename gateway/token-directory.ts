import type { Cause } from "../core/cause-code.ts";
import { asFailure, Failure } from "../core/failure.ts";
import type { Logger } from "../core/logger.ts";
import { tokensKey } from "../core/object-key.ts";
import type { ETag } from "../core/object-store.ts";
import { readTokenRegistry } from "../core/read-token-registry.ts";
import type { TokenDigest } from "../core/token.ts";
import type { Clocks } from "./clocks.ts";
import { withCallDeadline } from "./deadline.ts";
import type { StoreReader } from "./store-reader.ts";
import { causeAgainst, type KnownToken, knownToken, type TokenTable } from "./token-table.ts";

export type Authentication =
  | { readonly kind: "accepted"; readonly token: KnownToken }
  | { readonly kind: "refused"; readonly token: KnownToken | undefined; readonly cause: Cause }
  /** T9: the registry could not be confirmed for too long: nobody can say whether the token is good. */
  | { readonly kind: "unconfirmed"; readonly cause: Cause };

/** All tokens, in memory. An unknown token costs a look-up, never a call to the store. */
export interface TokenDirectory {
  authenticate(digest: TokenDigest): Authentication;
  /** Milliseconds since the state of the registry was last known for sure; infinite before the first time. */
  ageMs(): number;
  /** Why the directory cannot be trusted now; `undefined` while it can. */
  unconfirmedCause(): string | undefined;
  /** Begins to poll (T8); resolves when the registry is confirmed for the first time. */
  start(): Promise<void>;
  stop(): void;
}

export interface TokenDirectoryOptions {
  readonly store: StoreReader;
  readonly logger: Logger;
  /** Staleness is measured on the monotonic one: its bound holds also for a process that was stopped and wakes up. */
  readonly clocks: Clocks;
  readonly refreshMs: number;
  readonly maxStaleMs: number;
  readonly callTimeoutMs: number;
  /** Requests per window of a token without a limit of its own. */
  readonly defaultLimit: number;
}

export function createTokenDirectory(options: TokenDirectoryOptions): TokenDirectory {
  const { store, logger, clocks, refreshMs, maxStaleMs, callTimeoutMs, defaultLimit } = options;
  const clock = clocks.monotonicMs;
  let table: TokenTable = new Map();
  let version: { readonly etag: ETag; readonly revision: number } | undefined;
  /** When the poll began that last confirmed the table: what it saw is at most that old. */
  let confirmedAtMs = Number.NEGATIVE_INFINITY;
  let lastFailure: Failure | undefined;
  let polling = 0;
  let timer: NodeJS.Timeout | undefined;
  let onConfirmed = (): void => {};
  const confirmed = new Promise<void>((resolve) => {
    onConfirmed = resolve;
  });

  async function poll(): Promise<void> {
    const beganAtMs = clock();
    polling += 1;
    try {
      await withCallDeadline(callTimeoutMs, `Reading ${tokensKey}`, (signal) => confirm(beganAtMs, signal));
      if (lastFailure !== undefined) logger.info("the token registry is confirmed again");
      lastFailure = undefined;
    } catch (error) {
      const failure = asFailure(error);
      if (failure.message !== lastFailure?.message) {
        logger.warn({ cause: failure.message }, "the token registry could not be confirmed");
      }
      lastFailure = failure;
    } finally {
      polling -= 1;
    }
  }

  async function confirm(beganAtMs: number, signal: AbortSignal): Promise<void> {
    const result = await store.get(tokensKey, { ifNoneMatch: version?.etag, signal });
    // A later poll has overtaken this one; what this one saw may be older.
    if (beganAtMs < confirmedAtMs) {
      if (result.kind === "object") result.body.destroy();
      return;
    }
    // T10: only a registry that was never there is an empty one; none replaces a newer one.
    switch (result.kind) {
      case "not_modified":
        break;
      case "missing":
        if (version !== undefined) {
          throw new Failure("not_found", `${tokensKey} was there and is gone; restore it from a backup.`);
        }
        table = new Map();
        break;
      case "object": {
        const { revision, byDigest } = await readTokenRegistry(result.body, (token) =>
          knownToken(token, defaultLimit),
        );
        if (beganAtMs < confirmedAtMs) return;
        if (version !== undefined && revision < version.revision) {
          const [from, to] = [version.revision, revision];
          throw new Failure("corrupt_document", `${tokensKey} fell from revision ${from} to ${to}.`);
        }
        table = byDigest;
        version = { etag: result.etag, revision };
        break;
      }
    }
    if (confirmedAtMs === Number.NEGATIVE_INFINITY) warnIfUseless();
    confirmedAtMs = beganAtMs;
    onConfirmed();
  }

  /** Said once, at the start: a new installation, or a wrong `STORE_URL`, which looks the same from here. */
  function warnIfUseless(): void {
    const nowMs = clocks.unixMs();
    for (const token of table.values()) if (causeAgainst(token, nowMs) === undefined) return;
    const cause = `${tokensKey} ${version === undefined ? "is missing" : "has no valid token"}`;
    logger.warn({ cause }, "every request gets 401 until a token is created; is it the right store?");
  }

  function unconfirmedCause(): string | undefined {
    if (clock() - confirmedAtMs <= maxStaleMs) return undefined;
    return `the token registry is not confirmed: ${lastFailure?.message ?? "it was not read yet"}`;
  }

  return {
    authenticate(digest) {
      const text = unconfirmedCause();
      if (text !== undefined) return { kind: "unconfirmed", cause: { code: "registry_unconfirmed", text } };
      const token = table.get(digest);
      if (token === undefined) return { kind: "refused", token, cause: unknownToken };
      const cause = causeAgainst(token, clocks.unixMs());
      return cause === undefined ? { kind: "accepted", token } : { kind: "refused", token, cause };
    },

    ageMs: () => clock() - confirmedAtMs,
    unconfirmedCause,

    start() {
      timer = setInterval(() => {
        // One poll may hang while the store answers others: the next does not wait for it.
        if (polling < maxPolls) void poll();
      }, refreshMs);
      void poll();
      return confirmed;
    },

    stop() {
      clearInterval(timer);
    },
  };
}

const maxPolls = 2;
const unknownToken: Cause = { code: "unknown_token", text: "unknown token" };
