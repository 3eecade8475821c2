import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { forAllTests } from "../../support/lasting.ts";
import { deskTenant, openSupportDesk } from "../../support/support-desk.ts";

/** What each command that takes `--tenant` needs besides. One that is missing here fails the test. */
const calls: Readonly<Record<string, readonly string[]>> = {
  "source preview": [],
  "audit list": [],
  "snapshot build": [],
  "snapshot status": [],
  "snapshot show": ["--list"],
  "snapshot diff": [],
  "snapshot explain": ["--program", "KYOTO-1"],
  "snapshot list": [],
  "snapshot verify": [],
  "snapshot rollback": [],
  "snapshot release": [],
  "snapshot prune": [],
  "snapshot export": ["--out", "OUT"],
  "token create": [],
  "token list": [],
  "token revoke": [],
};
const names = Object.keys(calls);
const mistyped = "sakura-trials";

const desk = forAllTests(openSupportDesk);

beforeAll(async () => {
  await desk.build();
});

async function callFor(name: string, tenant: string, ...more: readonly string[]) {
  const others = (calls[name] ?? []).map((arg) => (arg === "OUT" ? join(desk.storeDirectory, "out") : arg));
  return await desk.run([...name.split(" "), "--tenant", tenant, ...others, ...more]);
}

describe("a tenant that is not known", () => {
  test.each(names)("P56 is exit status 1 of %s, and the nearest one is named", async (name) => {
    const { status, stderr } = await callFor(name, mistyped);
    expect([status, stderr]).toEqual([1, expect.stringContaining(`Did you mean ${deskTenant}?`)]);
    expect(stderr).toContain(mistyped);
  });

  test("P56 is one of which nothing is known: of a published one without tokens the answer is 0", async () => {
    for (const name of ["token list", "token revoke"]) {
      expect(await callFor(name, deskTenant)).toMatchObject({ status: 0 });
    }
  });

  test("P56 is not one that the source lists and no build has published yet", async () => {
    await desk.source.insert("tenants", { tenant_id: "new-tours", name: "New Tours" });
    const { status, stdout } = await callFor("snapshot explain", "new-tours", "--json");
    expect([status, JSON.parse(stdout).source.kind]).toEqual([0, "absent"]);
  });
});
