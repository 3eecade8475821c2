import { beforeEach, describe, expect, test } from "vitest";
import { renameTenant, type TenantRename } from "../../../cli/change/access/rename-tenant.ts";
import { withAudit } from "../../../cli/change/audit/recorded-change.ts";
import { editRemovedTenants, withRemoved } from "../../../cli/publish/snapshot/removed-tenants.ts";
import { makeSandbox } from "../../../cli/publish/snapshot/sandbox-tenant.ts";
import { assertKnownTenant } from "../../../cli/read/administration/known-tenant.ts";
import { readAudit } from "../../../cli/read/administration/read-audit.ts";
import { readRegistry } from "../../../cli/read/administration/read-registry.ts";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { currentKey } from "../../../core/ground/object-key.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { deathsIn } from "../../support/dying-store.ts";
import { rejectionOf } from "../../support/failure-of.ts";
import { eventually } from "../../support/gateway-client.ts";
import { startGateway } from "../../support/gateway-fixture.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { createTokenFile, issueToken, revoked } from "../../support/gateway-tokens.ts";
import { fileStoreForEachTest } from "../../support/lasting.ts";
import { sized } from "../../support/quick-pass.ts";
import { quietShell } from "../../support/quiet-shell.ts";

const signal = new AbortController().signal;
const unlimited = { rateLimit: 1_000_000 };
const [first, second] = [issueToken("acme", unlimited), issueToken("acme", unlimited)];
const ended = revoked(issueToken("acme"));
const foreign = issueToken("bora", unlimited);
const six = ["p1", "p2", "p3", "p4", "p5", "p6"];

const store = fileStoreForEachTest();

beforeEach(async () => {
  for (const tenant of ["acme", "acme-tours"]) await publishSnapshot(store, tenant, { programIds: six });
  await publishSnapshot(store, "bora", { programIds: ["b1"] });
  await createTokenFile(store).write([first, second, ended, foreign]);
});
/** As the command does it. */
async function rename(on: ObjectStore, from: string, to: string, allowShrink = false): Promise<TenantRename> {
  const shell = quietShell();
  const tenants = [parseTenantId(from), parseTenantId(to)] as const;
  const request = { command: "tenant rename", tenants, reason: undefined };
  await assertKnownTenant(on, tenants[0], signal);
  const { result, unrecorded } = await withAudit(shell, on, request, (watched, audit) =>
    renameTenant(...tenants, allowShrink, { store: watched, audit, now: shell.now, signal }),
  );
  if (unrecorded !== undefined) throw unrecorded;
  return result;
}

/** Whose each token is, in their order. */
async function owners(): Promise<readonly string[]> {
  return (await readRegistry(store)).registry.tokens.map(({ tenantId }) => tenantId);
}

async function recorded(): Promise<number> {
  const everything = { tenantId: undefined, since: undefined, limit: 1000 };
  return (await readAudit(store, everything, signal)).records.length;
}

describe("a tenant's new id", () => {
  test("P94 P85 after a death at any call of the store every token answers with its programs, and another run completes it", async () => {
    const gateway = await startGateway({ seen: () => store });
    /** Whose programs the tokens read; the marks of their lists. */
    const seen = async (): Promise<readonly string[]> =>
      await Promise.all(
        [first, second, foreign].map(async ({ plaintext }) => {
          const headers = { authorization: `Bearer ${plaintext}` };
          const response = await fetch(`${gateway.api}/v1/programs`, { headers });
          const { data } = Object(await response.json());
          return response.status === 200 ? data[0].name.split(" ")[0] : String(response.status);
        }),
      );
    try {
      let [from, to] = ["acme-tours", "acme"];
      const whole = (on: ObjectStore) => rename(on, "acme", "acme-tours");
      const stride = sized({ whole: 1, quick: 3 });
      for await (const { what, dying } of deathsIn(whole, () => store, { atLeast: 9, stride })) {
        const records = await recorded();
        await rename(dying(), from, to).catch(() => {});
        const [owner = "", ...others] = await owners();
        expect([from, to], what).toContain(owner);
        expect(others, what).toEqual([owner, owner, "bora"]);
        if (owner === to) expect(await recorded(), what).toBe(records + 1);
        const [one, two, third] = await seen();
        expect([from, to], what).toContain(one);
        expect([from, to], what).toContain(two);
        expect(third, what).toBe("bora");
        const again = await rename(store, from, to);
        expect(again.movedTokens.length, what).toBe(owner === to ? 0 : 3);
        expect(await owners(), what).toEqual([to, to, to, "bora"]);
        await eventually(seen, (marks) => marks.join() === [to, to, "bora"].join());
        [from, to] = [to, from];
      }
    } finally {
      await gateway.close();
    }
  }, 120_000);

  test("P94 is not one that has hardly any of the programs, unless that is meant", async () => {
    const before = await owners();
    const failure = await rejectionOf(rename(store, "acme", "bora"));
    expect(failure).toMatchObject({ code: "shrink_guard" });
    expect(String(failure)).toContain(
      "Tenant bora has 1 program; partners of acme see 6 now, 6 of which it lacks",
    );
    expect([await owners(), await recorded()]).toEqual([before, 0]);
    await publishSnapshot(store, "acme-tours", { programIds: [], generation: 2 });
    expect(await rejectionOf(rename(store, "acme", "acme-tours"))).toMatchObject({ code: "shrink_guard" });
    expect((await rename(store, "acme", "acme-tours", true)).activeTokens).toBe(2);
  });

  test("P94 compares with what partners see: an empty list, or errors, keep nobody", async () => {
    await publishSnapshot(store, "acme", { programIds: [], generation: 2 });
    await rename(store, "acme", "bora");
    await store.delete([currentKey(parseTenantId("bora"))]);
    await rename(store, "bora", "acme-tours");
    expect(await owners()).toEqual(["acme-tours", "acme-tours", "acme-tours", "acme-tours"]);
  });

  test("P91 is not one of a removed tenant, of which a snapshot is left", async () => {
    const removed = withRemoved(new Map(), parseTenantId("acme-tours"), "2026-11-01T00:00:00.000Z");
    await editRemovedTenants(store, signal, () => removed);
    const before = await owners();
    expect(await rejectionOf(rename(store, "acme", "acme-tours"))).toMatchObject({ code: "usage" });
    expect(await owners()).toEqual(before);
  });

  test("P94 is not the sandbox, and the sandbox gets none", async () => {
    await makeSandbox(store, parseTenantId("acme-tours"), new Date(0));
    for (const [from, to] of [
      ["acme", "acme-tours"],
      ["acme-tours", "acme"],
    ] as const)
      expect(await rejectionOf(rename(store, from, to))).toMatchObject({ code: "usage" });
    expect(await recorded()).toBe(0);
  });
});
