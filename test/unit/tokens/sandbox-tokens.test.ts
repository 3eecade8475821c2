import { expect, test } from "vitest";
import { createAudit } from "../../../cli/operate/audit/audit.ts";
import { removeTenant } from "../../../cli/operate/tenants/remove-tenant.ts";
import { readRegistry } from "../../../cli/operate/tokens/edit-registry.ts";
import { provideSandboxTokens } from "../../../cli/partners/sandbox/sandbox-tokens.ts";
import { makeSandbox } from "../../../cli/publish/snapshot/sandbox-tenant.ts";
import { parseTenantId } from "../../../core/ids.ts";
import { tokensKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { fileStoreForEachTest } from "../../support/lasting.ts";
import { quietShell } from "../../support/quiet-shell.ts";

const sandbox = parseTenantId("sandbox");
const shell = quietShell();
const audit = createAudit(shell, { command: "sandbox init", tenants: [sandbox], reason: undefined });
const noAudit = { plan: () => {}, note: () => {}, doubt: () => {} };

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
