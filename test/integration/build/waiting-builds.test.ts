import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { withClaimsSession } from "../../../cli/publish/run/tenant-claims.ts";
import { parseTenantId } from "../../../core/ids.ts";
import { beginTestStore } from "../../support/begun-store.ts";
import { gateSource } from "../../support/gated-source.ts";
import { patience } from "../../support/patience.ts";
import { startCli } from "../../support/run-cli.ts";
import { openWorkbench, type Workbench } from "../../support/workbench.ts";

let bench: Workbench;

beforeAll(async () => {
  bench = await openWorkbench();
});

afterAll(async () => {
  await bench.close();
});

test("P35: a build that waits for another builder says for which tenant, within 10 seconds", async () => {
  await beginTestStore(bench.store);
  const gate = await gateSource(bench);
  try {
    await bench.source.insert("tenants", { tenant_id: "slow" });
    await bench.source.query(
      "INSERT INTO public.programs (tenant_id, program_id, name, lifecycle_state) VALUES ('slow', 'a', 'A', 'active')",
    );
    const env = { ...bench.env, LOG_LEVEL: "silent" };
    const first = startCli(["snapshot", "build"], { env });
    await gate.reached();
    const second = startCli(["snapshot", "build"], { env });
    let said = "";
    second.child.stderr?.on("data", (text: string) => {
      said += text;
    });
    await vi.waitFor(() => expect(said).not.toBe(""), patience);
    await gate.open();
    expect(await first.ended).toMatchObject({ status: 0, stderr: "" });
    expect(await second.ended).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^partner-programs: waiting for .* slow, at most 2 minutes\.\n$/),
    });
  } finally {
    await gate.close();
  }
});

test("P35: a builder that waited too long says so and builds the tenant itself, now and the next time", async () => {
  const acme = parseTenantId("acme");
  const databaseUrl = bench.database.url;
  const waits: (readonly [string, boolean])[] = [];
  const impatient = {
    databaseUrl,
    scope: "store",
    maxWaitMs: 50,
    onWait: (tenantId: string, isOverdue: boolean) => waits.push([tenantId, isOverdue]),
  };
  await withClaimsSession({ databaseUrl, scope: "store" }, async (frozen) => {
    expect(await (await frozen.begin(0)).tryClaim(acme)).toBe("ours");
    await withClaimsSession(impatient, async (session) => {
      const claims = await session.begin(0);
      expect(await claims.tryClaim(acme)).toBe("taken");
      await vi.waitFor(async () => expect(await claims.tryClaim(acme)).toBe("ours"), patience);
      await claims.release(acme, true);
      expect(await (await session.begin(0)).tryClaim(acme)).toBe("ours");
    });
  });
  expect(waits).toEqual([["acme", true]]);
});
