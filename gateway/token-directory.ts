import type { Cause } from "../core/cause-code.ts";
import { asFailure, Failure } from "../core/failure.ts";
import type { Logger } from "../core/logger.ts";
import { tokensKey } from "../core/object-key.ts";
import type { ETag } from "../core/object-store.ts";
import { readTokenRegistry } from "../core/read-token-registry.ts";
import type { TokenDigest } from "../core/token.ts";
import type { Clocks } from "./clocks.ts";
import { settledWithin, withCallDeadline } from "./deadline.ts";
import { copiedBody, keptRegistry } from "./last-good/document-copies.ts";
import type { KeptRegistry } from "./last-good/kept-state.ts";
import type { LastGood } from "./last-good/last-good.ts";
import { createOutageLog } from "./outage-log.ts";
import type { StoreReader } from "./store-reader.ts";
import type { StoreWatch } from "./store-watch.ts";
import {
  causeAgainst,
  type ExpiringToken,
  type KnownToken,
  type TokenStatus,
  TokenTable,
} from "./token-table.ts";

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
  /** How many tokens there are now of each kind. */
  counts(): Readonly<Record<TokenStatus, number>>;
  /** Tokens in force that will expire, the soonest first. */
  expiring(): readonly ExpiringToken[];
  /** Why the directory cannot be trusted now; `undefined` while it can. */
  unconfirmedCause(): string | undefined;
  /** Why the last look at the registry failed; `undefined` when it did not. */
  failure(): string | undefined;
  /** What is known of the registry, for whoever comes after this process. */
  confirmed(): KeptRegistry | undefined;
  /** Whether it goes by the last good copy, since the store did not confirm it yet. */
  isFromCopy(): boolean;
  /** Begins to poll (T8); resolves when the registry is confirmed for the first time, or the last good copy has to do. */
  start(): Promise<void>;
  stop(): void;
}

export interface TokenDirectoryOptions {
  readonly store: StoreReader;
  readonly watch: StoreWatch;
  readonly logger: Logger;
  /** Staleness is measured on the monotonic one: its bound holds also for a process that was stopped and wakes up. */
  readonly clocks: Clocks;
  readonly refreshMs: number;
  readonly maxStaleMs: number;
  readonly callTimeoutMs: number;
  /** Requests per window of a token without a limit of its own. */
  readonly defaultLimit: number;
  readonly lastGood?: LastGood | undefined;
}

export function createTokenDirectory(options: TokenDirectoryOptions): TokenDirectory {
  const { store, watch, logger, clocks, refreshMs, maxStaleMs, callTimeoutMs, defaultLimit, lastGood } =
    options;
  const clock = clocks.monotonicMs;
  let table = new TokenTable(defaultLimit);
  /** The table of the version before. Its memory is filled again, since the garbage collector is slow to give it back. */
  let spare: TokenTable | undefined;
  let version: RegistryVersion | undefined;
  /** When the poll began that last confirmed the table: what it saw is at most that old. */
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
      await watch.confirm(result.kind, signal);
    } catch (error) {
      if (result.kind === "object") result.body.destroy();
      throw error;
    }
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
        table = emptyTable();
        break;
      case "object": {
        const copy = lastGood && copiedBody(result.body as AsyncIterable<Buffer>);
        const { revision, tokens } = await readTokenRegistry(copy?.body ?? result.body, emptyTable);
        if (isOutdated(beganAtMs, revision)) return;
        const { etag } = result;
        const whole = copy?.whole();
        if (lastGood && whole && whole.sha256 !== version?.sha256) {
          // W170: whoever starts after this process must refuse what this one is about to refuse.
          const registry = { sha256: whole.sha256, etag, revision, storeId: watch.storeId() };
          await lastGood.keepRegistry({ ...registry, ageMs: clock() - beganAtMs }, whole.pieces);
          if (isOutdated(beganAtMs, revision)) return;
        }
        [spare, table] = [table, tokens];
        version = { etag, revision, sha256: whole?.sha256 };
        break;
      }
    }
    if (confirmedAtMs === Number.NEGATIVE_INFINITY || isFromCopy) warnIfUseless();
    confirmedAtMs = beganAtMs;
    isFromCopy = false;
    onConfirmed();
  }

  /** Whether a later poll was faster. Throws when the registry has fallen to an older revision (T10). */
  function isOutdated(beganAtMs: number, revision: number): boolean {
    if (beganAtMs < confirmedAtMs) return true;
    if (version === undefined || revision >= version.revision) return false;
    const [from, to] = [version.revision, revision];
    throw new Failure("corrupt_document", `${tokensKey} fell from revision ${from} to ${to}.`);
  }

  /** W76: what was confirmed before this process began, as if it had run since. Never rejects. */
  async function restore(from: LastGood): Promise<void> {
    const kept = from.registry();
    if (kept === undefined) return;
    watch.goBy(kept.storeId);
    // What was confirmed of another store says nothing about the one that STORE_ID names.
    if (kept.storeId !== undefined && kept.storeId !== watch.storeId()) return;
    // W79, T10: also of a copy that is too old to be trusted.
    version = { etag: undefined, revision: kept.revision, sha256: undefined };
    if (clock() - kept.confirmedAtMs > maxStaleMs) return;
    const read = await keptRegistry(from, kept.sha256, emptyTable).catch(() => undefined);
    // The store may have been quicker.
    if (read?.revision !== kept.revision || confirmedAtMs !== Number.NEGATIVE_INFINITY) return;
    table = read.tokens;
    version = kept;
    confirmedAtMs = kept.confirmedAtMs;
    isFromCopy = true;
  }

  /** A disk may have been too slow for the copy: it is asked again, but for one that hangs. */
  async function restored(): Promise<void> {
    if (lastGood === undefined || confirmedAtMs !== Number.NEGATIVE_INFINITY) return;
    restoring ??= restore(lastGood).finally(() => {
      restoring = undefined;
    });
    await restoring;
  }

  function emptyTable(): TokenTable {
    const empty = spare ?? new TokenTable(defaultLimit);
    spare = undefined;
    empty.clear();
    return empty;
  }

  function begin(): void {
    if (isStopped) return;
    timer = setInterval(() => {
      // One poll may hang while the store answers others: the next does not wait for it.
      if (polling < maxPolls) void poll();
    }, refreshMs);
    void poll();
  }

  /** Said once, at the start: a new installation, or a wrong `STORE_URL` with a store that somebody has begun. */
  function warnIfUseless(): void {
    if (table.counts(clocks.unixMs()).valid > 0) return;
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

    counts: () => table.counts(clocks.unixMs()),
    expiring: () => table.expiring(clocks.unixMs()),
    ageMs: () => clock() - confirmedAtMs,
    unconfirmedCause,
    failure: () => lastFailure?.message,

    confirmed() {
      const sha256 = version?.sha256;
      const etag = version?.etag;
      if (version === undefined || sha256 === undefined || etag === undefined) return undefined;
      const { revision } = version;
      return { sha256, etag, revision, storeId: watch.storeId(), ageMs: clock() - confirmedAtMs };
    },

    isFromCopy: () => isFromCopy && unconfirmedCause() === undefined,

    start() {
      if (lastGood === undefined) begin();
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
  /** Of the bytes, where they are kept. */
  readonly sha256: string | undefined;
}

const maxPolls = 2;
/** For a disk that hangs. 100,000 tokens are read in less than one second. */
const restoreWaitMs = 5000;
const unknownToken: Cause = { code: "unknown_token", text: "unknown token" };
