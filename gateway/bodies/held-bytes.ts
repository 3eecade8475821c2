import type { TenantId } from "../../core/ground/ids.ts";
import { FairShares } from "./fair-shares.ts";

/**
 * W186: the bytes of bodies that are held beside the cache: while they are read or packed, and when the cache
 * has dropped them, until their last reader has them. A body that would go over the bound is not read into
 * memory, but streamed.
 */
export class HeldBytes<Form extends { readonly tenantId: TenantId; readonly bytes: Buffer }> {
  readonly #shares: FairShares;
  readonly #isCached: (form: Form) => boolean;
  readonly #sending = new Map<Form, { senders: number; isCounted: boolean }>();

  constructor(maxBytes: number, isCached: (form: Form) => boolean) {
    this.#shares = new FairShares(maxBytes);
    this.#isCached = isCached;
  }

  /** Does the work that needs so many bytes; resolves to `undefined` at once where they would be too many. */
  async during<Result>(
    tenantId: TenantId,
    bytes: number,
    work: () => Promise<Result>,
  ): Promise<Result | undefined> {
    if (!this.#shares.take(tenantId, bytes)) return undefined;
    try {
      return await work();
    } finally {
      this.#shares.give(tenantId, bytes);
    }
  }

  /** Called when an answer is not taken at once. The result is called when it is over. */
  sending(form: Form): () => void {
    const sent = this.#sending.get(form) ?? { senders: 0, isCounted: false };
    this.#sending.set(form, sent);
    sent.senders += 1;
    this.dropped(form);
    return () => {
      sent.senders -= 1;
      if (sent.senders > 0) return;
      this.#sending.delete(form);
      if (sent.isCounted) this.#shares.give(form.tenantId, form.bytes.length);
    };
  }

  /** Called when the cache may have dropped the form. */
  dropped(form: Form): void {
    const sent = this.#sending.get(form);
    if (sent === undefined || sent.isCounted || this.#isCached(form)) return;
    sent.isCounted = true;
    this.#shares.hold(form.tenantId, form.bytes.length);
  }
}
