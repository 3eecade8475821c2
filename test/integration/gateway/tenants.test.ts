import { afterEach, expect, test } from "vitest";
import { type Client, createClient } from "../../support/gateway-client.ts";
import { type FixtureOptions, type GatewayFixture, startGateway } from "../../support/gateway-fixture.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";

const acme = issueToken("acme");
let gateway: GatewayFixture;
let client: Client;

afterEach(async () => {
  client.close();
  await gateway.close();
});

async function start(options: FixtureOptions): Promise<void> {
  gateway = await startGateway(options);
  client = createClient(gateway.api);
}

test("T13 a token of a tenant without a snapshot gets 500, and the log says why", async () => {
  const early = issueToken("early");
  await start({ fill: (_store, tokens) => tokens.write([early]) });
  expect((await client.get("/v1/programs", early.plaintext)).status).toBe(500);
  expect(gateway.log.findLast((entry) => entry.status === 500)?.cause).toContain("no published snapshot");
});

test("W4 tenants see their own programs only", async () => {
  const globex = issueToken("globex");
  await start({
    async fill(store, tokens) {
      await tokens.write([acme, globex]);
      await publishSnapshot(store, "acme", { programIds: ["same", "a1"] });
      await publishSnapshot(store, "globex", { programIds: ["same", "g1"] });
    },
  });
  const list = async (token: string): Promise<string> =>
    (await client.get("/v1/programs", token)).body.toString();
  expect(await list(acme.plaintext)).toContain("acme same");
  expect(await list(acme.plaintext)).not.toContain("globex");
  expect((await client.get("/v1/programs/same", globex.plaintext)).body.toString()).toContain("globex same");
  const foreign = await client.get("/v1/programs/g1", acme.plaintext, { "X-Request-Id": "same" });
  const absent = await client.get("/v1/programs/none", acme.plaintext, { "X-Request-Id": "same" });
  expect(foreign.status).toBe(404);
  expect(foreign.body.equals(absent.body)).toBe(true);
});
