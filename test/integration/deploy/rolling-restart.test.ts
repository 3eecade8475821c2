import { afterEach, describe, expect, test } from "vitest";
import { beginTestStore, testStoreId } from "../../support/begun-store.ts";
import { startLoad } from "../../support/front-load.ts";
import { type FrontKind, isInstalled } from "../../support/front-process.ts";
import { type FrontStage, startFrontStage } from "../../support/front-stage.ts";
import { eventually } from "../../support/gateway-client.ts";
import { filledWith } from "../../support/gateway-fixture.ts";
import { issueToken } from "../../support/gateway-tokens.ts";

/** Each round restarts both gateways; more of them for a figure: `FRONT_ROUNDS=20`. */
const rounds = Number(process.env.FRONT_ROUNDS ?? 1);
const token = issueToken("acme", { rateLimit: 1_000_000 });
/**
 * Each proxy, and what is wrong with the store of a rollout behind it: it hears of either by the same answer.
 */
const kinds: readonly (readonly [FrontKind, Readonly<Record<string, string>>])[] = [
  ["nginx", { STORE_URL: "file:/nowhere/at-all" }],
  ["haproxy", { STORE_ID: testStoreId("b") }],
  ["caddy", { STORE_URL: "file:/nowhere/at-all" }],
];
let stage: FrontStage | undefined;

afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

/** Answers that the present gateway of that place has given. */
async function answered(place: number): Promise<number> {
  const page = await (await fetch(`${stage?.gateways[place]?.admin}/metrics`)).text();
  const counts = page.matchAll(/^gateway_requests_total\{.*status="200".*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** The proxy gives it work. */
const isUsed = (place: number): Promise<number> =>
  eventually(
    () => answered(place),
    (count) => count > 20,
  );

for (const [kind, wrong] of kinds) {
  const isMissing = !isInstalled(kind);
  describe.skipIf(isMissing)(`${kind}${isMissing ? " (not installed)" : ""}`, () => {
    test(`W96 behind ${kind} as deploy/ sets it up, gateways restart one after the other, a rollout to a wrong store stops at its first one, and no request fails`, {
      timeout: 300_000 + rounds * 60_000,
    }, async () => {
      stage = await startFrontStage(kind, async (store, tokens) => {
        await beginTestStore(store);
        await filledWith([token], { programIds: ["p1", "p2"], minBytes: 20_000 })(store, tokens);
      });
      const target = { port: stage.front.port, certificate: stage.certificate };
      const load = startLoad(target, "/v1/programs", token.plaintext);
      const { tally } = load;
      for (const place of [0, 1]) await isUsed(place);
      for (let round = 0; round < rounds; round += 1) {
        for (const place of [0, 1]) {
          const { 200: before = 0 } = tally;
          expect(await stage.restart(place)).toBe(0);
          // nginx asks whoever is in its list; the others have to find out by a check that the gateway is
          // back.
          if (kind !== "nginx") await isUsed(place);
          // Whichever gateway gives them: the partners have not stood still meanwhile.
          await expect.poll(() => tally[200] ?? 0).toBeGreaterThan(before + 40);
        }
      }
      expect(await stage.restart(0, wrong)).toBe(0);
      const { 200: before = 0 } = tally;
      await expect.poll(() => tally[200] ?? 0).toBeGreaterThan(before + 100);
      // Whoever rolls it out waits for this, and never ends the other one.
      expect((await fetch(`${stage.gateways[0]?.admin}/readyz`)).status).toBe(503);
      await stage.restart(0);
      await isUsed(0);
      const { 200: answers, ...failures } = await load.stop();
      if (process.env.FRONT_ROUNDS !== undefined) console.info(kind, answers, failures);
      expect(failures).toEqual({});
    });
  });
}
