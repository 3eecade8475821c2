import { beforeEach, describe, expect, test } from "vitest";
import { forAllTests } from "../../support/lasting.ts";
import { runCli } from "../../support/run-cli.ts";
import { openTokenDesk } from "../../support/token-desk.ts";

const desk = forAllTests(openTokenDesk);

beforeEach(async () => {
  await desk.reset();
});

describe("token expire", () => {
  test.each([
    ["14d", "2026-12-05T12:00:00.000Z"],
    ["12h", "2026-11-22T00:00:00.000Z"],
    ["2w", "2026-12-05T12:00:00.000Z"],
    ["2027-06-30T22:00:00+02:00", "2027-06-30T20:00:00.000Z"],
  ])("P84 --at %s gives the token that end, and says which it had", async (at, expiresAt) => {
    const { token, ...metadata } = await desk.json(["create", "--tenant", "acme", "--expires", "90d"]);
    expect(token).toMatch(/^ppr_/);
    expect(metadata.expiresAt).toBe("2027-02-19T12:00:00.000Z");
    expect(await desk.json(["expire", metadata.tokenId, "--at", at])).toEqual({
      ...metadata,
      expiresAt,
      previousExpiresAt: "2027-02-19T12:00:00.000Z",
    });
    expect(await desk.registry()).toMatchObject({ revision: 2, tokens: [{ expiresAt, revokedAt: null }] });
  });

  test("refuses an end that is past, a token that is ended and one that is not there; nothing is written", async () => {
    const { tokenId } = await desk.json(["create", "--tenant", "acme"]);
    const past = await desk.run(["expire", tokenId, "--at", "2026-11-21T12:00:00Z"]);
    expect([past.status, past.stderr]).toEqual([2, expect.stringContaining("use `token revoke`")]);
    await desk.run(["revoke", tokenId]);
    const before = await desk.registryText();
    expect(await desk.run(["expire", tokenId, "--at", "1d"])).toMatchObject({ status: 2 });
    expect(await desk.run(["expire", "tok_0000000000000000", "--at", "1d"])).toMatchObject({ status: 1 });
    expect(await desk.registryText()).toBe(before);
  });

  test.each(["tomorrow", "90", "1.5d", "-1d", "90 d", "999999w", "0000-01-01T00:00:00Z"])(
    "takes no %j for an end",
    async (at) => {
      const { tokenId } = await desk.json(["create", "--tenant", "acme"]);
      for (const args of [
        ["expire", tokenId, `--at=${at}`],
        ["create", "--tenant", "acme", `--expires=${at}`],
      ]) {
        const { status, stderr } = await desk.run(args);
        expect([status, stderr]).toEqual([2, expect.stringContaining("90d, 12h, 2w")]);
      }
    },
  );
});

describe("token revoke --tenant", () => {
  test("P84 ends every token of the tenant in one write, and no other tenant's", async () => {
    await desk.publish("beta");
    const ids: string[] = [];
    for (const tenant of ["acme", "acme", "beta", "acme"]) {
      ids.push((await desk.json(["create", "--tenant", tenant])).tokenId);
    }
    await desk.run(["revoke", ids[1] ?? ""], { now: new Date("2026-11-20T00:00:00.000Z") });
    expect(await desk.json(["revoke", "--tenant", "acme"])).toEqual({ revoked: [ids[0], ids[3]] });
    const { revision, tokens } = await desk.registry();
    expect(revision).toBe(6);
    expect(tokens.map(({ revokedAt }) => revokedAt)).toEqual([
      "2026-11-21T12:00:00.000Z",
      "2026-11-20T00:00:00.000Z",
      null,
      "2026-11-21T12:00:00.000Z",
    ]);
  });

  test("P84 misses no token that processes issue meanwhile, however they interleave", async () => {
    await desk.json(["create", "--tenant", "acme"]);
    const create = () => runCli(["token", "create", "--tenant", "acme", "--json"], { env: desk.env });
    const [revoking, ...created] = await Promise.all([
      runCli(["token", "revoke", "--tenant", "acme", "--json"], { env: desk.env }),
      create(),
      create(),
      create(),
    ]);
    expect([revoking.status, ...created.map(({ status }) => status)]).toEqual([0, 0, 0, 0]);
    const { revoked }: { revoked: readonly string[] } = JSON.parse(revoking.stdout);
    // Entries are appended: what was there when it was written is the list's beginning, and nothing of it lives.
    const { tokens } = await desk.registry();
    expect(tokens.slice(0, revoked.length).map(({ tokenId }) => tokenId)).toEqual(revoked);
    expect(tokens.map(({ revokedAt }) => revokedAt !== null)).toEqual(
      tokens.map((_, at) => at < revoked.length),
    );
    expect(tokens).toHaveLength(4);
  });
});
