import type { Cause } from "../core/cause-code.ts";
import { Failure } from "../core/failure.ts";
import type { StoreId } from "../core/ids.ts";
import type { Logger } from "../core/logger.ts";
import { readBody } from "../core/object-body.ts";
import { tokensKey } from "../core/object-key.ts";
import type { ETag } from "../core/object-store.ts";
import type { TokenDigest } from "../core/token.ts";
import { maxRegistryBytes, parseTokenRegistry } from "../core/token-registry.ts";
import type { Clocks } from "./clocks.ts";
import { Confirmed, type Copied } from "./confirmed.ts";
import { settledWithin } from "./deadline.ts";
import type { Mirror } from "./mirror.ts";
import { createOutageLog } from "./outage-log.ts";
import type { StoreReader } from "./store-watch.ts";
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
  /** For the log, see `StoreWatch`. */
  readonly storeId: () => StoreId | undefined;
  readonly otherStoreId: () => StoreId | undefined;
  readonly logger: Logger;
  readonly clocks: Clocks;
  readonly refreshMs: number;
  readonly maxStaleMs: number;
  readonly callTimeoutMs: number;
  /** Requests per window of a token without a limit of its own. */
  readonly defaultLimit: number;
  readonly mirror?: Mirror | undefined;
}

export function createTokenDirectory(options: TokenDirectoryOptions): TokenDirectory {
  const { store, storeId, otherStoreId, logger, clocks, refreshMs, defaultLimit, mirror } = options;
  const outageTexts = {
    failed: "the token registry could not be confirmed",
    succeeded: "the token registry is confirmed again",
  };
  const outage = createOutageLog(logger, outageTexts, clocks.monotonicMs, () => ({
    storeId: storeId(),
    otherStoreId: otherStoreId(),
  }));
  const registry = new Confirmed<Registry>({ ...options, what: tokensKey, outage, read, restore });
  let polling = 0;
  let isSeen = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let onConfirmed = (): void => {};
  const confirmed = new Promise<void>((resolve) => {
    onConfirmed = resolve;
  });

  /** T10: a missing registry counts as empty only if there never was one, and an older one never replaces a newer one. */
  async function read(beganAtMs: number, signal: AbortSignal): Promise<Registry> {
    const held = registry.value ?? emptyRegistry;
    const result = await store.get(tokensKey, { ifNoneMatch: held.etag, signal });
    if (result.kind === "not_modified") {
      // W101: what the copy has lost is read whole again, and so kept again.
      return mirror?.confirm(tokensKey, beganAtMs) === false ? { ...held, etag: undefined } : held;
    }
    if (result.kind === "missing") {
      if (held.revision === undefined) return emptyRegistry;
      throw new Failure("not_found", `${tokensKey} was there and is gone; restore it from a backup.`);
    }
    const bytes = await readBody(result, maxRegistryBytes, tokensKey);
    const parsed = await parseTokenRegistry(bytes);
    const { revision } = parsed;
    // A copy's revision counts as well, even if the copy is too old to be used (W79).
    const least = registry.value?.revision ?? revision;
    if (revision < least) {
      throw new Failure("corrupt_document", `${tokensKey} fell from revision ${least} to ${revision}.`);
    }
    // W170: a gateway that starts after this one must refuse the same tokens.
    await mirror?.keepRegistry(bytes, beganAtMs);
    return { table: tokenTable(parsed, defaultLimit), revision, etag: result.etag };
  }

  async function restore(): Promise<Copied<Registry> | undefined> {
    const copy = await mirror?.document(tokensKey);
    if (copy === undefined) return undefined;
    const parsed = await parseTokenRegistry(copy.bytes);
    const value = { table: tokenTable(parsed, defaultLimit), revision: parsed.revision, etag: undefined };
    return { value, confirmedAtMs: copy.confirmedAtMs };
  }

  async function poll(): Promise<void> {
    polling += 1;
    await registry.refresh();
    polling -= 1;
    const isConfirmed = registry.failure === undefined;
    if (isConfirmed && !isSeen) warnIfUseless();
    isSeen ||= isConfirmed;
    if (isConfirmed || registry.isFromCopy) onConfirmed();
  }

  function begin(): void {
    if (isStopped) return;
    timer = setInterval(() => {
      // A poll may hang while the store answers others, so the next poll does not wait for it.
      if (polling < maxPolls) void poll();
    }, refreshMs);
    void poll();
  }

  const table = (): TokenTable => registry.value?.table ?? emptyRegistry.table;
  const counts = (): Readonly<Record<TokenStatus, number>> => tokenCounts(table(), clocks.unixMs());

  /**
   * Warns once, at the start, when no token is valid. Either the installation is new, or `STORE_URL` names another store that
   * somebody has begun.
   */
  function warnIfUseless(): void {
    if (counts().valid > 0) return;
    const cause = `${tokensKey} ${registry.value?.revision === undefined ? "is missing" : "has no valid token"}`;
    logger.warn(
      { cause, storeId: storeId() },
      "every request gets 401 until a token is created; is it the right store?",
    );
  }

  function unconfirmedCause(): string | undefined {
    if (registry.isUsable()) return undefined;
    return `the token registry is not confirmed: ${registry.failure?.cause.message ?? "it was not read yet"}`;
  }

  return {
    authenticate(digest) {
      const text = unconfirmedCause();
      if (text !== undefined) return { kind: "unconfirmed", cause: { code: "registry_unconfirmed", text } };
      const token = table().get(digest);
      if (token === undefined) return { kind: "refused", token, cause: unknownToken };
      const cause = causeAgainst(token, clocks.unixMs());
      return cause === undefined ? { kind: "accepted", token } : { kind: "refused", token, cause };
    },

    counts,
    expiring: () => expiringTokens(table(), clocks.unixMs()),
    ageMs: () => registry.ageMs(),
    unconfirmedCause,
    failure: () => registry.failure?.cause.message,
    isFromCopy: () => registry.isFromCopy && registry.isUsable(),

    start() {
      void settledWithin(restoreWaitMs, registry.restore()).then(begin);
      return confirmed;
    },

    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}

interface Registry {
  readonly table: TokenTable;
  /** `undefined` for a registry that never was. */
  readonly revision: number | undefined;
  readonly etag: ETag | undefined;
}

const emptyRegistry: Registry = { table: new Map(), revision: undefined, etag: undefined };
const maxPolls = 2;
/** The bound for a hanging disk. Reading 10,000 tokens takes a tenth of a second. */
const restoreWaitMs = 5000;
const unknownToken: Cause = { code: "unknown_token", text: "unknown token" };
