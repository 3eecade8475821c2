import { expect, test } from "vitest";
import { removeTenant } from "../../../cli/change/access/remove-tenant.ts";
import { createAudit } from "../../../cli/change/audit/audit.ts";
import { publishSandbox } from "../../../cli/partners/sandbox/publish-sandbox.ts";
import { provideSandboxTokens } from "../../../cli/partners/sandbox/sandbox-tokens.ts";
import { makeSandbox } from "../../../cli/publish/snapshot/sandbox-tenant.ts";
import { readRegistry } from "../../../cli/read/administration/read-registry.ts";
import { settingsOf } from "../../../cli/shell/shell.ts";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { currentKey, type ObjectKey, tokensKey } from "../../../core/ground/object-key.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";
import { fileStoreForEachTest } from "../../support/lasting.ts";
import { quietShell } from "../../support/quiet-shell.ts";

const sandbox = parseTenantId("sandbox");
const shell = quietShell();
const audit = createAudit(shell, { command: "sandbox init", tenants: [sandbox], reason: undefined });
const noAudit = { plan: () => {}, note: () => {}, doubt: () => {}, warn: () => {} };

const store = fileStoreForEachTest();

test("P91 the sandbox gets no token from a `sandbox init` that somebody else's `--remove` overtakes", async () => {
  await makeSandbox(store, sandbox, shell.now());
  let isRemoved = false;
  const overtaken: ObjectStore = {
    ...store,
    async put(key, body, options) {
      if (key === tokensKey && !isRemoved) {
        isRemoved = true;
        const { now, signal } = shell;
        await removeTenant(sandbox, true, { store, audit: noAudit, now, signal });
      }
      return await store.put(key, body, options);
    },
  };
  await expect(provideSandboxTokens(overtaken, sandbox, false, shell, audit)).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining("Run `sandbox init` again."),
  });
  expect((await readRegistry(store)).registry.tokens).toEqual([]);
});

test("T15 the sandbox's tokens get the longest life that is allowed, but for the expired one", async () => {
  await makeSandbox(store, sandbox, shell.now());
  const bounded = { ...shell, env: { TOKEN_MAX_LIFETIME: "1d" } };
  const tokens = await provideSandboxTokens(store, sandbox, false, bounded, audit);
  const ends = tokens.filter(({ kind }) => kind !== "expired").map(({ entry }) => entry.expiresAt);
  expect(new Set(ends)).toEqual(new Set(["2026-11-22T12:00:00.000Z"]));
});

/** A build that somebody ends with the first object of that kind stored. */
async function endedAt(isObject: (key: ObjectKey) => boolean): Promise<TenantRun> {
  await makeSandbox(store, sandbox, new Date());
  const interruption = new AbortController();
  const ended = { ...shell, signal: interruption.signal };
  const seen: ObjectStore = {
    ...store,
    async put(key, body, options) {
      if (!isObject(key)) return await store.put(key, body, options);
      const result = await store.put(key, body, options);
      interruption.abort();
      return result;
    },
  };
  return await publishSandbox(seen, sandbox, settingsOf(ended), ended);
}

const isPointer = (key: ObjectKey): boolean => key === currentKey(sandbox);

test("a build of the sandbox that somebody ends is told as such: no tokens are issued for it", async () => {
  await expect(endedAt((key) => !isPointer(key))).rejects.toMatchObject({ code: "interrupted" });
  expect(await store.get(currentKey(sandbox))).toEqual({ kind: "missing" });
});

test("who ends a build that has just published a tenant for the first time is told that it did", async () => {
  const { outcome, confirmedAt } = await endedAt(isPointer);
  expect([outcome, typeof confirmedAt]).toEqual(["published", "string"]);
});
