import { describe, expect, test, vi } from "vitest";
import { editRegistry } from "../../../cli/change/access/edit-registry.ts";
import { issueToken as issueTokenOf } from "../../../cli/change/access/issue-token.ts";
import { readRegistry } from "../../../cli/read/administration/read-registry.ts";
import type { RegisteredToken } from "../../../core/documents/token-registry.ts";
import { Failure } from "../../../core/ground/failure.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { rejectionOf } from "../../support/failure-of.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { fileStoreForEachTest } from "../../support/lasting.ts";

// On a busy machine much data takes more than the usual few seconds.
vi.setConfig({ testTimeout: 60_000 });

const noAudit = { plan: () => {}, note: () => {}, doubt: () => {}, warn: () => {} };
const store = fileStoreForEachTest();

const entry = (): RegisteredToken => issueToken("acme").entry;

async function registeredIds(): Promise<string[]> {
  const { registry } = await readRegistry(store);
  return registry.tokens.map(({ tokenId }) => tokenId);
}

describe("editing the registry", () => {
  test("T11 by many at once loses nothing: after a conflict the change is made again on what is there", async () => {
    const entries = Array.from({ length: 40 }, entry);
    await Promise.all(entries.map((issued) => editRegistry(store, noAudit, (tokens) => [...tokens, issued])));
    expect((await registeredIds()).sort()).toEqual(entries.map(({ tokenId }) => tokenId).sort());
    expect((await readRegistry(store)).registry.revision).toBe(40);
  });

  test("never writes what no gateway would accept: that would lock out every partner", async () => {
    const good = entry();
    await editRegistry(store, noAudit, () => [good]);
    for (const bad of [
      { ...entry(), expiresAt: "+010000-01-01T00:00:00.000Z" },
      { ...entry(), scopes: ["Programs Read"] },
      { ...entry(), name: " " },
      { ...entry(), sha256: good.sha256 },
    ]) {
      expect((await rejectionOf(editRegistry(store, noAudit, (tokens) => [...tokens, bad]))).code).toBe(
        "internal",
      );
      expect(await registeredIds()).toEqual([good.tokenId]);
    }
  });
});

describe("an unclear answer of the store", () => {
  /** The store, but the n-th put is made or not made, and then answers that it does not know. */
  function unclear(isMade: boolean, meanwhile: () => Promise<void> = async () => {}): ObjectStore {
    let puts = 0;
    return {
      ...store,
      async put(key, body, options) {
        puts += 1;
        if (puts > 1) return await store.put(key, body, options);
        if (isMade) await store.put(key, body, options);
        await meanwhile();
        throw new Failure("store_unavailable", "timed out");
      },
    };
  }

  test("is settled by reading back: a change that is there is done, once", async () => {
    const issued = entry();
    await editRegistry(unclear(true), noAudit, (tokens) => [...tokens, issued]);
    expect(await registeredIds()).toEqual([issued.tokenId]);
  });

  test("also when somebody else has changed the registry since", async () => {
    const [issued, other] = [entry(), entry()];
    const meanwhile = () => editRegistry(store, noAudit, (tokens) => [...tokens, other]);
    await editRegistry(unclear(true, meanwhile), noAudit, (tokens) => [...tokens, issued]);
    expect(await registeredIds()).toEqual([issued.tokenId, other.tokenId]);
  });

  test("is a failure when the change is not there", async () => {
    const failure = await rejectionOf(
      editRegistry(unclear(false), noAudit, (tokens) => [...tokens, entry()]),
    );
    expect(failure).toMatchObject({ code: "store_unavailable", message: "timed out" });
    expect(await registeredIds()).toEqual([]);
  });
});

test("a new token uses every character of base62 for its id equally often: bytes beyond 247 are passed over", () => {
  const bytes = (size: number): Uint8Array => Buffer.alloc(size, Buffer.from([255, 248, 247, 0, 61, 62]));
  const issued = issueTokenOf(entry(), null, new Date(0), bytes);
  expect(issued.entry.tokenId).toBe("tok_z0z0z0z0z0z0z0z0");
});
