import { afterEach, beforeEach, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { forEachTest } from "../../support/lasting.ts";
import { openWorkbench } from "../../support/workbench.ts";

const bench = forEachTest(openWorkbench);
let gateway: GatewayProcess;
let load: Load | undefined;
let token: string;

beforeEach(async () => {
  for (const tenant of ["acme", "acme-tours"]) {
    await bench.source.insert("tenants", { tenant_id: tenant, name: tenant });
    await bench.insertPrograms(tenant, { program_id: `of-${tenant}`, description: "long ".repeat(20_000) });
  }
  await bench.build(["--tenant", "acme"]);
  token = JSON.parse((await bench.run(["token", "create", "--tenant", "acme", "--json"])).stdout).token;
  gateway = await startGatewayProcess({
    STORE_URL: `file:${bench.storeDirectory}`,
    RATE_LIMIT_REQUESTS: "100000000",
    // Each request reads its body from the store, and a revocation is heard of late.
    CACHE_MAX_MB: "1",
    TOKEN_REFRESH_MS: "1000",
    LOG_LEVEL: "warn",
  });
});
afterEach(async () => {
  await load?.stop();
  load = undefined;
  gateway?.signal("SIGKILL");
  await gateway?.ended;
});

function kindOf(status: number, body: string): string {
  if (status !== 200) return String(status);
  const ids = [JSON.parse(body).data].flat().map(({ id }: { readonly id: string }) => id);
  return `200 ${ids.join(" ")}`;
}

test("P94 under load a rename is seen by no partner: every answer is the one tenant's or the other's", async () => {
  load = begin("/v1/programs");
  await load.more("200 of-acme", 250);
  const early = await bench.run(["tenant", "rename", "acme", "acme-tours"]);
  expect([early.status, early.stderr]).toEqual([1, expect.stringContaining("has no published snapshot")]);
  await load.more("200 of-acme", 250);
  await bench.build(["--tenant", "acme-tours"]);
  const { status, stdout } = await bench.run(["tenant", "rename", "acme", "acme-tours"]);
  expect([status, stdout]).toEqual([0, expect.stringContaining("1 token of acme read acme-tours now")]);
  await load.more("200 of-acme-tours", 250);
  expect(Object.keys(await load.stop()).sort()).toEqual(["200 of-acme", "200 of-acme-tours"]);
});

test("P91 under load a removal with --purge is 200, then 401, and nothing between", async () => {
  load = begin("/v1/programs/of-acme");
  await load.more("200 of-acme", 250);
  await bench.source.query("DELETE FROM partner_source.tenants WHERE tenant_id = 'acme'");
  const { status } = await bench.run(["tenant", "remove", "acme", "--purge"]);
  expect(status).toBe(0);
  await load.more("401", 250);
  expect(Object.keys(await load.stop()).sort()).toEqual(["200 of-acme", "401"]);
});

interface Load {
  /** Resolves when so many more answers of that kind are there. */
  more(kind: string, count: number): Promise<void>;
  /** How many answers of each kind there were. */
  stop(): Promise<Readonly<Record<string, number>>>;
}

/** Asks by eight clients side by side, each as soon as its last answer is there. */
function begin(path: string): Load {
  const counts: Record<string, number> = {};
  const stopping = new AbortController();
  let heard: () => void = () => {};
  async function ask(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Large bodies that are not packed are read from the store for each request.
      const headers = { authorization: `Bearer ${token}`, "accept-encoding": "identity" };
      const response = await fetch(gateway.api + path, { headers });
      const kind = kindOf(response.status, await response.text());
      counts[kind] = (counts[kind] ?? 0) + 1;
      heard();
    }
  }
  const asking = Promise.all(Array.from({ length: 8 }, ask));
  // A refused connection fails the test where it is waited for.
  asking.catch(() => {});
  return {
    async more(kind, count) {
      const goal = (counts[kind] ?? 0) + count;
      const reached = new Promise<void>((resolve) => {
        heard = () => {
          if ((counts[kind] ?? 0) >= goal) resolve();
        };
      });
      await Promise.race([reached, asking]);
    },
    async stop() {
      stopping.abort();
      await asking;
      return counts;
    },
  };
}
