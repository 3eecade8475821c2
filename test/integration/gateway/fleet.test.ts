import { once } from "node:events";
import { rename } from "node:fs/promises";
import { afterEach, expect, test } from "vitest";
import { tokensKey } from "../../../core/object-key.ts";
import { createClient, eventually } from "../../support/gateway-client.ts";
import { type GatewayFleet, startFleet } from "../../support/gateway-fleet.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken, revoked } from "../../support/gateway-tokens.ts";
import { openSocket } from "../../support/raw-http.ts";

/** Each round issues a token and revokes it; more of them for a figure: `REVOCATION_ROUNDS=50`. */
const rounds = Number(process.env.REVOCATION_ROUNDS ?? 5);
const steady = issueToken("acme", { rateLimit: 1_000_000 });
let fleet: GatewayFleet;

afterEach(() => fleet.close());

const start = (size: number, env: Readonly<Record<string, string>> = {}): Promise<GatewayFleet> =>
  startFleet({
    size,
    env,
    async fill(store, tokens) {
      await tokens.write([steady]);
      await publishSnapshot(store, "acme", { programIds: ["p1"] });
    },
  });

/** A machine may have other things to do for half a second, now and then; a gateway that polls too seldom is late each time. */
const median = (ms: readonly number[]): number =>
  ms.toSorted((a, b) => a - b)[Math.floor(ms.length / 2)] ?? NaN;

test("T8 by default a token comes and goes on every gateway within one second", async () => {
  fleet = await start(2, { LOG_LEVEL: "silent" });
  const clients = fleet.gateways.map(({ api }) => createClient(api));
  let isOver = false;
  const load = clients.map(async (client) => {
    while (!isOver) expect((await client.get("/v1/programs/p1", steady.plaintext)).status).toBe(200);
  });
  const everywhere = async (token: string, status: number): Promise<number> => {
    const beganAt = performance.now();
    await Promise.all(
      clients.map((client) =>
        eventually(
          () => client.get("/v1/programs", token),
          (answer) => answer.status === status,
        ),
      ),
    );
    return performance.now() - beganAt;
  };
  const issues: number[] = [];
  const revocations: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const token = issueToken("acme", { rateLimit: 1_000_000 });
    await fleet.tokens.write([steady, token]);
    issues.push(await everywhere(token.plaintext, 200));
    await fleet.tokens.write([steady, revoked(token)]);
    revocations.push(await everywhere(token.plaintext, 401));
  }
  isOver = true;
  await Promise.all(load);
  for (const client of clients) client.close();
  expect(median(issues)).toBeLessThan(1000);
  expect(median(revocations)).toBeLessThan(1000);
  if (process.env.REVOCATION_ROUNDS === undefined) return;
  console.log(
    `worst of ${rounds}, ms: new token ${Math.max(...issues)}, revoked token ${Math.max(...revocations)}`,
  );
});

test("T9 a process that was stopped trusts no token that it could not confirm since", async () => {
  fleet = await start(1, { TOKEN_MAX_STALE_SECONDS: "1", TOKEN_REFRESH_MS: "100" });
  const [gateway] = fleet.gateways;
  if (gateway === undefined) throw new Error("no gateway");
  const socket = openSocket(gateway.api);
  const ask = async (): Promise<string> => {
    const answer = once(socket, "data");
    socket.write(`GET /v1/programs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${steady.plaintext}\r\n\r\n`);
    return String((await answer)[0]).slice(9, 12);
  };
  // A machine that is busy may stop it for so long, too.
  await eventually(ask, (status) => status === "200");
  gateway.signal("SIGSTOP");
  await rename(`${fleet.directory}/${tokensKey}`, `${fleet.directory}/auth/tokens.bak`);
  const answer = ask();
  // The bound itself has to pass while the process cannot notice.
  await new Promise((resolve) => setTimeout(resolve, 1300));
  gateway.signal("SIGCONT");
  expect(await answer).toBe("500");
  await rename(`${fleet.directory}/auth/tokens.bak`, `${fleet.directory}/${tokensKey}`);
  await eventually(ask, (status) => status === "200");
  socket.destroy();
});
