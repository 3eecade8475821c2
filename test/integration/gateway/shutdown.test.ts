import { afterEach, expect, test } from "vitest";
import { eventually } from "../../support/gateway-client.ts";
import { type GatewayFleet, startFleet } from "../../support/gateway-fleet.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { converse } from "../../support/raw-http.ts";

const acme = issueToken("acme", { rateLimit: 1000 });
const get = `GET /v1/programs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${acme.plaintext}\r\n\r\n`;
let fleet: GatewayFleet;

afterEach(() => fleet.close());

const start = async (env: Readonly<Record<string, string>>): Promise<GatewayFleet["gateways"][number]> => {
  fleet = await startFleet({
    size: 1,
    env,
    async fill(store, tokens) {
      await tokens.write([acme]);
      await publishSnapshot(store, "acme", { programIds: ["p1"] });
    },
  });
  return fleet.gateways[0] ?? expect.fail("no gateway");
};

test("W97 after SIGTERM a gateway is unready at once, and answers new connections until its delay is over", async () => {
  const gateway = await start({ SHUTDOWN_DELAY_SECONDS: "600" });
  expect((await fetch(`${gateway.admin}/readyz`)).status).toBe(200);
  gateway.signal("SIGTERM");
  await eventually(
    async () => (await fetch(`${gateway.admin}/readyz`)).status,
    (status) => status === 503,
  );
  const { responses } = await converse(gateway.api, { send: get });
  expect(responses.map(({ status }) => status)).toEqual([200]);
  expect(responses[0]?.header("connection")).toBe("close");
  expect((await fetch(`${gateway.admin}/healthz`)).status).toBe(200);
});

test("W97 when the delay is over the gateway ends, and not before", async () => {
  const gateway = await start({ SHUTDOWN_DELAY_SECONDS: "1" });
  const beganAt = performance.now();
  gateway.signal("SIGTERM");
  expect(await gateway.ended).toBe(0);
  expect(performance.now() - beganAt).toBeGreaterThan(900);
});

test("W97 a second signal does not wait for the delay", async () => {
  const gateway = await start({ SHUTDOWN_DELAY_SECONDS: "600" });
  gateway.signal("SIGTERM");
  await eventually(
    async () => (await fetch(`${gateway.admin}/readyz`)).status,
    (status) => status === 503,
  );
  gateway.signal("SIGTERM");
  expect(await gateway.ended).toBe(1);
});
