import { rm } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { removeTenant } from "../../../cli/change/access/remove-tenant.ts";
import { withAudit } from "../../../cli/change/audit/recorded-change.ts";
import { readRemovedTenants, reinstateReturned } from "../../../cli/publish/snapshot/removed-tenants.ts";
import { makeSandbox } from "../../../cli/publish/snapshot/sandbox-tenant.ts";
import { readAudit } from "../../../cli/read/administration/read-audit.ts";
import { readRegistry } from "../../../cli/read/administration/read-registry.ts";
import { parseSnapshotId, parseTenantId } from "../../../core/ground/ids.ts";
import {
  confirmedKey,
  currentKey,
  manifestKey,
  sandboxKey,
  sourceMemoryKey,
} from "../../../core/ground/object-key.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { storeConfirmations } from "../../support/confirmed-document.ts";
import { deathsIn } from "../../support/dying-store.ts";
import { publishPointer } from "../../support/gateway-snapshots.ts";
import { createTokenFile, issueToken } from "../../support/gateway-tokens.ts";
import { fileStoreForEachTest } from "../../support/lasting.ts";
import { sized } from "../../support/quick-pass.ts";
import { quietShell } from "../../support/quiet-shell.ts";

const tenantId = parseTenantId("acme");
const bora = parseTenantId("bora");
const snapshotId = parseSnapshotId("20261101T000000Z-00000000");
const signal = new AbortController().signal;
const everything = { tenantId: undefined, since: undefined, limit: 100 };

const store = fileStoreForEachTest();

/** A sandbox with a pointer, some objects, tokens and a confirmation, beside another tenant. */
async function furnish(): Promise<void> {
  await rm(store.directory, { recursive: true, force: true });
  const generation = 57;
  await publishPointer(store, { tenantId, generation, snapshotId, manifestSha256: "0".repeat(64) });
  for (const key of [manifestKey(tenantId, snapshotId), sourceMemoryKey(tenantId), sourceMemoryKey(bora)]) {
    await store.put(key, bytesBody(Buffer.from("{}")));
  }
  await createTokenFile(store).write([issueToken("acme"), issueToken("acme"), issueToken("bora")]);
  const confirmed = { snapshotId, confirmedAt: "2026-11-01T00:00:00Z" };
  await storeConfirmations(store, { acme: confirmed, bora: confirmed });
  await makeSandbox(store, tenantId, new Date(0));
}

async function remove(on: ObjectStore, isPurged = true): Promise<void> {
  const shell = quietShell();
  const command = isPurged ? "tenant remove --purge" : "tenant remove";
  const request = { command, tenants: [tenantId], reason: undefined };
  const { unrecorded } = await withAudit(shell, on, request, (watched, audit) =>
    removeTenant(tenantId, isPurged, { store: watched, audit, now: shell.now, signal, pause }),
  );
  if (unrecorded !== undefined) throw unrecorded;
}

const pause = async (): Promise<void> => {};
const stride = sized({ whole: 1, quick: 5 });

async function openTokens(): Promise<readonly string[]> {
  const { registry } = await readRegistry(store);
  return registry.tokens.filter(({ revokedAt }) => revokedAt === null).map((token) => token.tenantId);
}

async function keys(): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { key } of store.list("tenants/")) found.push(key);
  return found;
}

describe("the removal of a tenant", () => {
  test("P91 P85 after a death at any call of the store another run completes it, and no step was without a record", async () => {
    await furnish();
    const before = await keys();
    for await (const { what, dying } of deathsIn(remove, () => store, { atLeast: 13, stride })) {
      await furnish();
      await remove(dying()).catch(() => {});
      const isTouched = (await keys()).join() !== before.join() || (await openTokens()).length < 3;
      const { records } = await readAudit(store, everything, signal);
      if (isTouched) expect(records, what).toHaveLength(1);
      // Nobody is served from objects that are being deleted.
      if (!(await keys()).includes(currentKey(tenantId))) expect(await openTokens(), what).toEqual([bora]);
      await remove(store);
      expect(await keys(), what).toEqual([sourceMemoryKey(bora), "tenants/removed.json"]);
      expect(await openTokens(), what).toEqual([bora]);
      expect((await store.get(sandboxKey)).kind, what).toBe("missing");
      const confirmed = await store.get(confirmedKey);
      const text =
        confirmed.kind === "object" ? Buffer.concat(await confirmed.body.toArray()).toString() : "";
      expect([text.includes("bora"), text.includes("acme")], what).toEqual([true, false]);
      expect((await readRemovedTenants(store, signal)).has(tenantId), what).toBe(true);
    }
  });

  test("P91 P85 the same without --purge: its tokens end, its objects stay", async () => {
    await furnish();
    const objects = (await keys()).filter((key) => key !== "tenants/sandbox.json");
    const removeOnly = (on: ObjectStore) => remove(on, false);
    for await (const { what, dying } of deathsIn(removeOnly, () => store, { atLeast: 6, stride })) {
      await furnish();
      await removeOnly(dying()).catch(() => {});
      const open = await openTokens();
      expect([["bora"], ["acme", "acme", "bora"]], what).toContainEqual([...open]);
      const isRemoved = (await readRemovedTenants(store, signal)).has(tenantId);
      // No token is issued for it from the moment on at which those that it had have ended.
      if (open.length === 1) expect(isRemoved, what).toBe(true);
      const { records } = await readAudit(store, everything, signal);
      if (isRemoved) expect(records, what).toHaveLength(1);
      await remove(store, false);
      expect(await openTokens(), what).toEqual(["bora"]);
      expect(await keys(), what).toEqual([...objects, "tenants/removed.json"]);
    }
  }, 120_000);

  test("P91 the pointer goes before everything else, so that a build that has read it publishes nothing", async () => {
    await furnish();
    const deleted: (readonly string[])[] = [];
    const seen: ObjectStore = {
      ...store,
      delete(keys, options) {
        deleted.push(keys);
        return store.delete(keys, options);
      },
    };
    await remove(seen);
    expect(deleted[0]).toEqual([currentKey(tenantId)]);
  });

  test("P91 what a run read before a later removal brings no tenant back", async () => {
    await furnish();
    await remove(store);
    const seen = await readRemovedTenants(store, signal);
    const older = new Map([...seen].map(([id]) => [id, "2026-01-01T00:00:00.000Z"] as const));
    await reinstateReturned(store, [tenantId], older, { dryRun: false, signal });
    expect((await readRemovedTenants(store, signal)).has(tenantId)).toBe(true);
    await reinstateReturned(store, [tenantId], seen, { dryRun: false, signal });
    expect((await readRemovedTenants(store, signal)).has(tenantId)).toBe(false);
  });
});
