import { Failure } from "../../core/ground/failure.ts";
import type { TenantId, TokenId } from "../../core/ground/ids.ts";

/** On whose behalf something is done. */
export interface Asker {
  readonly tenantId: TenantId;
  readonly tokenId: TokenId;
}

/**
 * W185: shares of something scarce, such as reads of the store, turns at packing or bytes of memory. A tenant
 * may hold as much as is free for the others. So one tenant gets half of the whole, two get a third each, and
 * there is always something for a tenant that comes, whatever the others hold and however long. A fixed share
 * a tenant would be too small for few tenants, or too large for many.
 */
export class FairShares {
  #free: number;
  readonly #held = new Map<TenantId, number>();
  readonly #waiting = new Turns<() => void>();
  readonly #patienceMs: number;
  readonly #onRefused: () => void;

  /** `patienceMs`: how long `during` waits for a share; after that it calls `onRefused`. */
  constructor(total: number, patienceMs = Number.POSITIVE_INFINITY, onRefused = (): void => {}) {
    this.#free = total;
    this.#patienceMs = patienceMs;
    this.#onRefused = onRefused;
  }

  /** Takes that much if the tenant may have it now. The caller gives it back by `give`. */
  take(tenantId: TenantId, amount: number): boolean {
    if (!this.#isFree(tenantId, amount)) return false;
    this.hold(tenantId, amount);
    return true;
  }

  /** Counts what the tenant holds already, whether it may or not. */
  hold(tenantId: TenantId, amount: number): void {
    this.#free -= amount;
    this.#held.set(tenantId, this.#heldBy(tenantId) + amount);
  }

  give(tenantId: TenantId, amount: number): void {
    this.#free += amount;
    const left = this.#heldBy(tenantId) - amount;
    if (left > 0) this.#held.set(tenantId, left);
    else this.#held.delete(tenantId);
    const isFree = (other: TenantId): boolean => this.#isFree(other, 1);
    for (let begin = this.#waiting.next(isFree); begin !== undefined; begin = this.#waiting.next(isFree))
      begin();
  }

  /**
   * Works with one share, which it waits for if need be. `work` learns how long that took. Throws `no_share`
   * when the time is up, and the signal's reason when that fires while it waits.
   */
  async during<Result>(
    asker: Asker,
    what: string,
    signal: AbortSignal | undefined,
    work: (waitedMs: number) => Promise<Result>,
  ): Promise<Result> {
    const { tenantId } = asker;
    const waitedMs = this.take(tenantId, 1) ? 0 : await this.#turnOf(asker, what, signal);
    try {
      return await work(waitedMs);
    } finally {
      this.give(tenantId, 1);
    }
  }

  /** Resolves with the share taken. */
  #turnOf(asker: Asker, what: string, signal: AbortSignal | undefined): Promise<number> {
    const sinceMs = performance.now();
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", leave);
      };
      const begin = (): void => {
        end();
        this.hold(asker.tenantId, 1);
        resolve(Math.ceil(performance.now() - sinceMs));
      };
      const fail = (reason: unknown): void => {
        end();
        this.#waiting.remove(asker, begin);
        reject(reason);
      };
      const leave = (): void => fail(signal?.reason);
      const refuse = (): void => {
        this.#onRefused();
        fail(new Failure("no_share", `${what} waited ${this.#patienceMs} ms behind others of its tenant.`));
      };
      const timer = Number.isFinite(this.#patienceMs) ? setTimeout(refuse, this.#patienceMs) : undefined;
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting.add(asker, begin);
      if (signal?.aborted === true) leave();
    });
  }

  #heldBy(tenantId: TenantId): number {
    return this.#held.get(tenantId) ?? 0;
  }

  #isFree(tenantId: TenantId, amount: number): boolean {
    return this.#heldBy(tenantId) + amount <= this.#free;
  }
}

/** W185: who waits, by turns: tenants take turns, within a tenant its tokens; a token's are in order. */
export class Turns<Item> {
  readonly #tenants = new Map<TenantId, Map<TokenId, Set<Item>>>();

  add({ tenantId, tokenId }: Asker, item: Item): void {
    const tokens = this.#tenants.get(tenantId) ?? new Map<TokenId, Set<Item>>();
    this.#tenants.set(tenantId, tokens);
    tokens.set(tokenId, (tokens.get(tokenId) ?? new Set()).add(item));
  }

  remove(asker: Asker, item: Item): void {
    const tokens = this.#tenants.get(asker.tenantId);
    const items = tokens?.get(asker.tokenId);
    if (tokens === undefined || items?.delete(item) !== true) return;
    if (items.size === 0) tokens.delete(asker.tokenId);
    if (tokens.size === 0) this.#tenants.delete(asker.tenantId);
  }

  /** Takes the item out whose turn it is, of the tenants that may have one. */
  next(mayHave: (tenantId: TenantId) => boolean): Item | undefined {
    for (const [tenantId, tokens] of this.#tenants) {
      if (!mayHave(tenantId)) continue;
      for (const [tokenId, items] of tokens) {
        for (const item of items) {
          this.remove({ tenantId, tokenId }, item);
          // What is left of both goes to the end of its line.
          if (tokens.delete(tokenId)) tokens.set(tokenId, items);
          if (this.#tenants.delete(tenantId)) this.#tenants.set(tenantId, tokens);
          return item;
        }
      }
    }
    return undefined;
  }
}
