import type { Cause } from "../core/cause-code.ts";
import { asFailure, Failure } from "../core/failure.ts";
import type { Logger } from "../core/logger.ts";
import { readBody } from "../core/object-body.ts";
import { tokensKey } from "../core/object-key.ts";
import type { ETag } from "../core/object-store.ts";
import type { TokenDigest } from "../core/token.ts";
import { maxRegistryBytes, parseTokenRegistry } from "../core/token-registry.ts";
import type { Clocks } from "./clocks.ts";
import { settledWithin, withCallDeadline } from "./deadline.ts";
import type { Mirror } from "./mirror.ts";
import { createOutageLog } from "./outage-log.ts";
import type { StoreReader, StoreWatch } from "./store-watch.ts";
import {
  causeAgainst,
  expiringTokens,
  type KnownToken,
  type TokenStatus,
  type TokenTable,
  tokenCounts,
  tokenTable,
} from "./token-table.ts";

export type Authentication =
  | { readonly kind: "accepted"; readonly token: KnownToken }
  | { readonly kind: "refused"; readonly token: KnownToken | undefined; readonly cause: Cause }
  /** T9: the registry was not confirmed for too long, so nobody knows whether the token is valid. */
  | { readonly kind: "unconfirmed"; readonly cause: Cause };

/** All tokens in memory. An unknown token takes a look-up, never a call to the store. */
export interface TokenDirectory {
  authenticate(digest: TokenDigest): Authentication;
  /** Milliseconds since the registry was last confirmed; infinite before the first time. */
  ageMs(): number;
  /** The number of tokens per status. */
  counts(): Readonly<Record<TokenStatus, number>>;
  /** Valid tokens that will expire, the soonest first. */
  expiring(): readonly KnownToken[];
  /** Why the directory may not be used now; `undefined` while it may. */
  unconfirmedCause(): string | undefined;
  /** Why the last look at the registry failed; `undefined` when it did not. */
  failure(): string | undefined;
  /** Whether the directory comes from the last good copy, because the store has not confirmed it yet. */
  isFromCopy(): boolean;
  /** Begins to poll (T8). Resolves when the registry is confirmed for the first time, or taken from the last good copy. */
  start(): Promise<void>;
  stop(): void;
}

export interface TokenDirectoryOptions {
  readonly store: StoreReader;
  readonly watch: StoreWatch;
  readonly logger: Logger;
  /** Staleness is measured by the monotonic clock, so the bound also holds for a process that was stopped for a while. */
  readonly clocks: Clocks;
  readonly refreshMs: number;
  readonly maxStaleMs: number;
  readonly callTimeoutMs: number;
  /** Requests per window of a token without a limit of its own. */
  readonly defaultLimit: number;
  readonly mirror?: Mirror | undefined;
}

export function createTokenDirectory(options: TokenDirectoryOptions): TokenDirectory {
  const { store, watch, logger, clocks, refreshMs, maxStaleMs, callTimeoutMs, defaultLimit, mirror } =
    options;
  const clock = clocks.monotonicMs;
  let table: TokenTable = new Map();
  let version: RegistryVersion | undefined;
  /** When the poll that last confirmed the table began. */
  let confirmedAtMs = Number.NEGATIVE_INFINITY;
  let isFromCopy = false;
  let lastFailure: Failure | undefined;
  const outage = createOutageLog(
    logger,
    {
      failed: "the token registry could not be confirmed",
      succeeded: "the token registry is confirmed again",
    },
    clock,
    () => ({ storeId: watch.storeId(), otherStoreId: watch.otherStoreId() }),
  );
  let polling = 0;
  let restoring: Promise<void> | undefined;
  let isStopped = false;
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
      outage.succeeded();
      lastFailure = undefined;
    } catch (error) {
      lastFailure = asFailure(error);
      outage.failed(lastFailure);
      void restored().then(() => {
        if (isFromCopy) onConfirmed();
      });
    } finally {
      polling -= 1;
    }
  }

  async function confirm(beganAtMs: number, signal: AbortSignal): Promise<void> {
    const result = await store.get(tokensKey, { ifNoneMatch: version?.etag, signal });
    try {
      await watch.confirm(result.kind !== "not_modified", signal);
    } catch (error) {
      if (result.kind === "object") result.body.destroy();
      throw error;
    }
    // A later poll was faster, so this answer may be older.
    if (beganAtMs < confirmedAtMs) {
      if (result.kind === "object") result.body.destroy();
      return;
    }
    // T10: a missing registry counts as empty only if there never was one, and an older one never replaces a newer one.
    switch (result.kind) {
      case "not_modified":
        // W101: what the copy has lost is read whole again, and so kept again.
        if (mirror?.confirm(tokensKey, beganAtMs) === false) forgetEtag();
        break;
      case "missing":
        if (version !== undefined) {
          throw new Failure("not_found", `${tokensKey} was there and is gone; restore it from a backup.`);
        }
        table = new Map();
        break;
      case "object": {
        const bytes = await readBody(result, maxRegistryBytes, tokensKey);
        const registry = await parseTokenRegistry(bytes);
        const { revision } = registry;
        if (isOutdated(beganAtMs, revision)) return;
        const { etag } = result;
        // W170: a gateway that starts after this one must refuse the same tokens.
        await mirror?.keepRegistry(bytes, beganAtMs);
        if (isOutdated(beganAtMs, revision)) return;
        table = tokenTable(registry, defaultLimit);
        version = { etag, revision };
        break;
      }
    }
    if (confirmedAtMs === Number.NEGATIVE_INFINITY || isFromCopy) warnIfUseless();
    confirmedAtMs = beganAtMs;
    isFromCopy = false;
    onConfirmed();
  }

  /** Whether a later poll was faster. Throws when the registry's revision has fallen (T10). */
  function isOutdated(beganAtMs: number, revision: number): boolean {
    if (beganAtMs < confirmedAtMs) return true;
    if (version === undefined || revision >= version.revision) return false;
    const [from, to] = [version.revision, revision];
    throw new Failure("corrupt_document", `${tokensKey} fell from revision ${from} to ${to}.`);
  }

  function forgetEtag(): void {
    if (version !== undefined) version = { ...version, etag: undefined };
  }

  /** W76: takes over the registry that an earlier process had confirmed, as if this process had run since then. Never rejects. */
  async function restore(from: Mirror): Promise<void> {
    const copy = await from.document(tokensKey);
    if (copy === undefined) return;
    watch.adopt(from.storeId());
    const registry = await parseTokenRegistry(copy.bytes).catch(() => undefined);
    // The store may have answered first.
    if (registry === undefined || confirmedAtMs !== Number.NEGATIVE_INFINITY) return;
    // W79, T10: the revision of a copy counts even if the copy is too old to be used.
    version = { etag: undefined, revision: registry.revision };
    if (clock() - copy.confirmedAtMs > maxStaleMs) return;
    table = tokenTable(registry, defaultLimit);
    confirmedAtMs = copy.confirmedAtMs;
    isFromCopy = true;
  }

  /** Reads the copy again when the disk was too slow before, unless that read still hangs. */
  async function restored(): Promise<void> {
    if (mirror === undefined || confirmedAtMs !== Number.NEGATIVE_INFINITY) return;
    restoring ??= restore(mirror).finally(() => {
      restoring = undefined;
    });
    await restoring;
  }

  function begin(): void {
    if (isStopped) return;
    timer = setInterval(() => {
      // A poll may hang while the store answers others, so the next poll does not wait for it.
      if (polling < maxPolls) void poll();
    }, refreshMs);
    void poll();
  }

  /**
   * Warns once, at the start, when no token is valid. Either the installation is new, or `STORE_URL` names another store that
   * somebody has begun.
   */
  function warnIfUseless(): void {
    if (tokenCounts(table, clocks.unixMs()).valid > 0) return;
    const cause = `${tokensKey} ${version === undefined ? "is missing" : "has no valid token"}`;
    logger.warn(
      { cause, storeId: watch.storeId() },
      "every request gets 401 until a token is created; is it the right store?",
    );
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

    counts: () => tokenCounts(table, clocks.unixMs()),
    expiring: () => expiringTokens(table, clocks.unixMs()),
    ageMs: () => clock() - confirmedAtMs,
    unconfirmedCause,
    failure: () => lastFailure?.message,

    isFromCopy: () => isFromCopy && unconfirmedCause() === undefined,

    start() {
      if (mirror === undefined) begin();
      else void settledWithin(restoreWaitMs, restored()).then(begin);
      return confirmed;
    },

    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}

interface RegistryVersion {
  readonly etag: ETag | undefined;
  readonly revision: number;
}

const maxPolls = 2;
/** The bound for a hanging disk. Reading 10,000 tokens takes a tenth of a second. */
const restoreWaitMs = 5000;
const unknownToken: Cause = { code: "unknown_token", text: "unknown token" };
