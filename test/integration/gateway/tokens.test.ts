import { readFile } from "node:fs/promises";
import { afterEach, expect, test } from "vitest";
import { tokensKey } from "../../../core/ground/object-key.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import { beginTestStore } from "../../support/begun-store.ts";
import { type Client, eventually } from "../../support/gateway-client.ts";
import {
  type FaultyStore,
  faultyStore,
  missing,
  replacedBy,
  unavailable,
} from "../../support/gateway-faulty-store.ts";
import {
  type FixtureOptions,
  filledWith,
  type GatewayFixture,
  startGateway,
} from "../../support/gateway-fixture.ts";
import { issueToken, revoked } from "../../support/gateway-tokens.ts";
import { setClocks } from "../../support/set-clocks.ts";

const acme = issueToken("acme");
const unknown = issueToken("acme");
let gateway: GatewayFixture;
let client: Client;
let registry: FaultyStore;

afterEach(() => gateway.close());

async function start(options: FixtureOptions = {}): Promise<void> {
  gateway = await startGateway({
    fill: filledWith([acme]),
    seenTokens(store) {
      registry = faultyStore(store);
      return registry;
    },
    ...options,
  });
  ({ client } = gateway);
}

const statusWith = async (token: string): Promise<number> => (await client.get("/v1/programs", token)).status;
const readiness = async (): Promise<{ status: number; body: { reason?: string } }> => {
  const response = await fetch(`${gateway.admin}/readyz`);
  return { status: response.status, body: (await response.json()) as { reason?: string } };
};

test.each([
  ["missing", undefined, ["auth/tokens.json is missing"]],
  ["of revoked tokens", [revoked(acme)], ["auth/tokens.json has no valid token"]],
  ["of one valid token", [revoked(unknown), acme], []],
])(
  "a registry that is %s at the start is warned of once, unless somebody is let in",
  async (_, tokens, causes) => {
    await start({
      fill: async (store, file) => {
        await beginTestStore(store);
        if (tokens !== undefined) await file.write(tokens);
      },
    });
    await expect.poll(() => registry.asked.length).toBeGreaterThan(3);
    const warnings = gateway.log.filter(({ level }) => level === "warn");
    expect(warnings.map(({ cause }) => cause)).toEqual(causes);
  },
);

test("W31 a revoked token gets 401 without a restart, and the log says why", async () => {
  await start();
  expect(await statusWith(acme.plaintext)).toBe(200);
  await gateway.tokens.write([revoked(acme)]);
  await expect.poll(() => statusWith(acme.plaintext)).toBe(401);
  const line = gateway.log.findLast((entry) => entry.status === 401);
  expect(line).toMatchObject({ tokenId: acme.entry.tokenId, tenantId: "acme", cause: "revoked token" });
});

test("W31 an expiry is noticed at the very request, without a change of the registry", async () => {
  const clocks = setClocks();
  const expiresAt = new Date(clocks.unixMs() + 2500).toISOString();
  const brief = issueToken("acme", { expiresAt });
  await start({ clocks, fill: filledWith([brief]) });
  expect(await statusWith(brief.plaintext)).toBe(200);
  registry.breakKeys(/./, unavailable);
  clocks.advance(2499);
  expect(await statusWith(brief.plaintext)).toBe(200);
  clocks.advance(1);
  expect(await statusWith(brief.plaintext)).toBe(401);
  expect(gateway.log.findLast((entry) => entry.status === 401)?.cause).toBe("expired token");
});

test("T1 unknown tokens cost no call to the store", async () => {
  await start({
    // In a store without identity whatever is missing leads to a look whether the registry is there.
    fill: (store) => beginTestStore(store),
    seen: (store) => (registry = faultyStore(store)),
    env: { TOKEN_REFRESH_MS: "60000" },
  });
  registry.forget();
  for (let at = 0; at < 50; at += 1) expect(await statusWith(issueToken("acme").plaintext)).toBe(401);
  expect(registry.asked).toEqual([]);
});

for (const [name, fault, keys] of [
  ["the store is away", unavailable, /./],
  ["the store has lost everything", missing, /./],
  ["the store has lost the registry", missing, /tokens/],
  ["the registry is no JSON", replacedBy("{"), /./],
  [
    "the registry is of an unknown format",
    replacedBy('{"format":"partner-programs/tokens@2","revision":9,"tokens":[]}'),
    /./,
  ],
] as const) {
  test(`T9, T10 while ${name}, the last good registry serves up to its bound, then 500; it recovers by itself`, async () => {
    const clocks = setClocks();
    await start({ clocks, env: { TOKEN_MAX_STALE_SECONDS: "2" } });
    registry.breakKeys(keys, fault);
    clocks.advance(2000);
    expect(await statusWith(acme.plaintext)).toBe(200);
    clocks.advance(1);
    expect(await statusWith(acme.plaintext)).toBe(500);
    // What it says of the reason is from a poll that failed.
    await eventually(
      async () => (await readiness()).body.reason,
      (reason) => reason !== undefined && !reason.endsWith("not read yet"),
    );
    expect(await statusWith(unknown.plaintext)).toBe(500);
    expect((await client.get("/v1/programs")).status).toBe(401);
    expect(await statusWith("ppr_nonsense")).toBe(401);
    expect((await client.get("/v1/unknown", acme.plaintext)).status).toBe(404);
    expect((await readiness()).body.reason).toContain("registry is not confirmed");
    expect(gateway.log.findLast((entry) => entry.status === 500)?.causeCode).toBe("registry_unconfirmed");

    registry.mend();
    await expect.poll(() => statusWith(acme.plaintext)).toBe(200);
    expect((await readiness()).status).toBe(200);
  });
}

test("T10 a registry that goes back to an older revision is refused, and a revoked token stays revoked", async () => {
  await start();
  const old = await readFile(`${gateway.directory}/${tokensKey}`);
  await gateway.tokens.write([revoked(acme)]);
  await expect.poll(() => statusWith(acme.plaintext)).toBe(401);
  await gateway.store.put(tokensKey, bytesBody(old));
  await eventually(
    () => gateway.log,
    (log) => log.some(({ cause }) => String(cause).includes("fell from revision 2 to 1")),
  );
  expect(await statusWith(acme.plaintext)).toBe(401);
});

test("a poll that hangs holds up no revocation, and changes nothing when it ends at last", async () => {
  await start();
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let [isHeld, isLate] = [false, false];
  registry.breakKeys(/./, async (answer) => {
    if (isHeld) return answer();
    isHeld = true;
    const old = await answer();
    await released;
    isLate = true;
    return old;
  });
  await eventually(() => isHeld, Boolean);
  await gateway.tokens.write([revoked(acme)]);
  await expect.poll(() => statusWith(acme.plaintext)).toBe(401);
  release();
  await eventually(() => isLate, Boolean);
  expect(await statusWith(acme.plaintext)).toBe(401);
});
