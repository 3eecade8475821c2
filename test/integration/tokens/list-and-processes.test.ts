import { describe, expect, test } from "vitest";
import { parseToken, tokenDigest } from "../../../core/token.ts";
import { freshForEachTest } from "../../support/lasting.ts";
import { sized } from "../../support/quick-pass.ts";
import { runCli } from "../../support/run-cli.ts";
import { openTokenDesk } from "../../support/token-desk.ts";

const desk = freshForEachTest(openTokenDesk);

describe("token list", () => {
  test("says with --json of each token its metadata, status and end, in the documented shape", async () => {
    await desk.publish("beta");
    const active = await desk.json(["create", "--tenant", "acme", "--name", "G"]);
    const expired = await desk.json(["create", "--tenant", "beta", "--expires", "2026-12-01T00:00:00Z"]);
    const revoked = await desk.json(["create", "--tenant", "acme", "--rate-limit", "5"]);
    await desk.run(["revoke", revoked.tokenId]);
    const later = { now: new Date("2027-01-01T00:00:00Z") };
    const withoutToken = ({ token: _, ...metadata }: Record<string, unknown>) => metadata;
    const { stdout } = await desk.run(["list", "--json"], later);
    expect(stdout).toBe(
      `${JSON.stringify(
        [
          { ...withoutToken(active), status: "active", revokedAt: null },
          { ...withoutToken(expired), status: "expired", revokedAt: null },
          { ...withoutToken(revoked), status: "revoked", revokedAt: desk.now.toISOString() },
        ],
        null,
        2,
      )}\n`,
    );
    expect((await desk.json(["list", "--tenant", "beta"], later)).length).toBe(1);
    await desk.publish("gamma");
    expect(await desk.json(["list", "--tenant", "gamma"], later)).toEqual([]);
  });
});

describe("token commands side by side", () => {
  test("T11 in several processes lose nothing", async () => {
    const first = await desk.json(["create", "--tenant", "acme"]);
    const others = sized({ whole: 7, quick: 3 });
    const results = await Promise.all([
      ...Array.from({ length: others }, (_, at) =>
        runCli(["token", "create", "--tenant", "acme", "--name", `n${at}`], { env: desk.env }),
      ),
      runCli(["token", "revoke", first.tokenId], { env: desk.env }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(results.map(() => 0));
    const { tokens, revision } = await desk.registry();
    expect(revision).toBe(others + 2);
    const digests = new Set<string>(tokens.map(({ sha256 }) => sha256));
    for (const { stdout, stderr } of results.slice(0, others)) {
      const plaintext = parseToken(stdout.trim());
      expect(plaintext && digests.has(tokenDigest(plaintext))).toBe(true);
      expect(stderr).not.toContain(stdout.trim());
    }
    expect(tokens.filter(({ revokedAt }) => revokedAt !== null).map(({ tokenId }) => tokenId)).toEqual([
      first.tokenId,
    ]);
  });
});
