import { beforeEach, expect, test } from "vitest";
import { publishSandbox } from "../../../cli/commands/sandbox-init.ts";
import { makeSandbox } from "../../../cli/publish/snapshot/sandbox-tenant.ts";
import { settingsOf } from "../../../cli/shell/shell.ts";
import { parseTenantId } from "../../../core/ids.ts";
import { currentKey, type ObjectKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";
import { fileStoreForEachTest } from "../../support/lasting.ts";
import { quietShell } from "../../support/quiet-shell.ts";

const tenantId = parseTenantId("sandbox");

const store = fileStoreForEachTest();

beforeEach(async () => {
  await makeSandbox(store, tenantId, new Date());
});

/** A build that somebody ends with the first object of that kind stored; `meanwhile`: what else happened by then. */
async function endedAt(
  isObject: (key: ObjectKey) => boolean,
  meanwhile: () => Promise<void> = async () => {},
): Promise<TenantRun> {
  const interruption = new AbortController();
  const shell = { ...quietShell(), signal: interruption.signal };
  const seen: ObjectStore = {
    ...store,
    async put(key, body, options) {
      if (!isObject(key)) return await store.put(key, body, options);
      await meanwhile();
      const result = await store.put(key, body, options);
      interruption.abort();
      return result;
    },
  };
  return await publishSandbox(seen, tenantId, settingsOf(shell), shell);
}

const isPointer = (key: ObjectKey): boolean => key === currentKey(tenantId);

test("a build of the sandbox that somebody ends is told as such: no tokens are issued for it", async () => {
  await expect(endedAt((key) => !isPointer(key))).rejects.toMatchObject({ code: "interrupted" });
  expect(await store.get(currentKey(tenantId))).toEqual({ kind: "missing" });
});

test("who ends a build that has just published a tenant for the first time is told that it did", async () => {
  const { outcome, confirmedAt } = await endedAt(isPointer);
  expect([outcome, typeof confirmedAt]).toEqual(["published", "string"]);
});
