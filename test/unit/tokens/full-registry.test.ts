import { beforeEach, describe, expect, test, vi } from "vitest";
import { editRegistry } from "../../../cli/change/access/edit-registry.ts";
import { revoked } from "../../../cli/change/access/issue-token.ts";
import type { AuditChange } from "../../../cli/change/audit/audit.ts";
import { readRegistry } from "../../../cli/read/administration/read-registry.ts";
import { type RegisteredToken, tokenRegistryBytes } from "../../../core/documents/token-registry.ts";
import { maxRegistryBytes } from "../../../core/ground/limits.ts";
import { tokensKey } from "../../../core/ground/object-key.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import { rejectionOf } from "../../support/failure-of.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { fileStoreForEachTest } from "../../support/lasting.ts";

// Tens of megabytes are written and read.
vi.setConfig({ testTimeout: 120_000 });

const store = fileStoreForEachTest();
const newest = Date.parse("2027-06-01T00:00:00.000Z");
const daysBefore = (days: number): string => new Date(newest - days * 24 * 3600 * 1000).toISOString();
const scopes = Array.from({ length: 60 }, (_, at) => `scope-${at}-${"x".repeat(50)}`);

let warnings: string[];
let noted: AuditChange[];
const audit = {
  plan: () => {},
  note: (changes: readonly AuditChange[]) => void noted.push(...changes),
  doubt: () => {},
  warn: (text: string) => void warnings.push(text),
};
beforeEach(() => {
  [warnings, noted] = [[], []];
});

/** An entry of about 4 KB, so that few of them are many bytes. */
function entry(fields: Partial<RegisteredToken> = {}): RegisteredToken {
  return { ...issueToken("acme").entry, createdAt: daysBefore(600), scopes, expiresAt: null, ...fields };
}

async function write(tokens: readonly RegisteredToken[]): Promise<void> {
  await store.put(tokensKey, bytesBody(tokenRegistryBytes({ revision: 1, tokens })));
}

/** As many tokens in force as make so many bytes, with room to revoke each where `perToken` says so. */
function filling(bytes: number, perToken = 0): readonly RegisteredToken[] {
  const size = JSON.stringify(entry()).length + 2 + perToken;
  return Array.from({ length: Math.floor((bytes - 100) / size) }, () => entry({ createdAt: daysBefore(0) }));
}

const ids = async (): Promise<ReadonlySet<string>> =>
  new Set((await readRegistry(store)).registry.tokens.map(({ tokenId }) => tokenId));

describe("a registry that gets full", () => {
  test("T16: takes no token that its readers would refuse it for, and every revocation", async () => {
    const full = filling(maxRegistryBytes, 22);
    await write(full);
    const failure = await rejectionOf(editRegistry(store, audit, (tokens) => [...tokens, entry()]));
    expect(failure).toMatchObject({
      code: "unrecorded",
      message: expect.stringContaining("Nothing was done."),
    });
    expect((await readRegistry(store)).registry).toMatchObject({
      revision: 1,
      tokens: { length: full.length },
    });
    const all = full.map(({ tokenId }) => tokenId);
    await editRegistry(store, audit, (tokens) => revoked(tokens, all, new Date(newest)));
    const { registry } = await readRegistry(store);
    expect(registry.tokens.every(({ revokedAt }) => revokedAt !== null)).toBe(true);
    expect(tokenRegistryBytes(registry).length).toBeLessThanOrEqual(maxRegistryBytes);
    expect(warnings.at(-1)).toContain("% of what gateways take");
  });

  const old = entry({ revokedAt: daysBefore(500) });
  const next = entry({ revokedAt: daysBefore(450), replaces: old.tokenId });
  const inForce = entry({ replaces: next.tokenId });
  const expired = entry({ expiresAt: daysBefore(401) });
  const remembered = entry({ expiresAt: daysBefore(399) });
  const late = entry({ revokedAt: daysBefore(300) });
  // It ended before the one that it replaced, as `--old-ends` allows.
  const early = entry({ revokedAt: daysBefore(450), replaces: late.tokenId });
  const known = [old, next, inForce, expired, remembered, late, early];

  test("T17: forgets from half of its bound on what ended over 400 days ago, with a record of each", async () => {
    await write([...known, ...filling(maxRegistryBytes / 2)]);
    const issued = entry({ createdAt: new Date(newest + 10 * 365 * 24 * 3600 * 1000).toISOString() });
    await editRegistry(store, audit, (tokens) => [...tokens, issued]);
    const left = await ids();
    const kept = [inForce, remembered, late, early, issued];
    expect(known.filter(({ tokenId }) => left.has(tokenId))).toEqual([inForce, remembered, late, early]);
    expect(kept.every(({ tokenId }) => left.has(tokenId))).toBe(true);
    const forgotten = noted.flatMap((change) => (change.kind === "forgotten" ? [change.tokenId] : []));
    expect(new Set(forgotten)).toEqual(new Set([old, next, expired].map(({ tokenId }) => tokenId)));
    expect(warnings).toHaveLength(1);
  });

  test("T17: an unclear edit counts as done also when another one has forgotten entries since", async () => {
    await write([...known, ...filling(maxRegistryBytes / 2)]);
    const [first, second] = [entry({ createdAt: daysBefore(0) }), entry({ createdAt: daysBefore(0) })];
    let isFirst = true;
    const unclear = {
      ...store,
      put: async (...args: Parameters<typeof store.put>) => {
        const result = await store.put(...args);
        if (!isFirst) return result;
        isFirst = false;
        await editRegistry(store, audit, (tokens) => [...tokens, second]);
        return { kind: "refused" } as const;
      },
    };
    await editRegistry(unclear, audit, (tokens) => [...tokens, first]);
    const { tokens } = (await readRegistry(store)).registry;
    expect(tokens.filter(({ tokenId }) => tokenId === first.tokenId)).toHaveLength(1);
  });

  test("T7, T17: below half of its bound nothing is forgotten, however long ago it ended", async () => {
    await write(known);
    await editRegistry(store, audit, (tokens) => [...tokens, entry({ createdAt: daysBefore(0) })]);
    const left = await ids();
    expect([known.every(({ tokenId }) => left.has(tokenId)), warnings]).toEqual([true, []]);
  });
});
