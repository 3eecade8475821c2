import { describe, expect, test } from "vitest";
import { runCommand } from "../../support/command-line.ts";
import { freshForEachTest } from "../../support/lasting.ts";
import { runCli } from "../../support/run-cli.ts";
import { openTokenDesk } from "../../support/token-desk.ts";

const desk = freshForEachTest(openTokenDesk);

describe("token rotate", () => {
  const terms =
    "--name G --scope programs.read b --allow-unknown-scope --expires 2027-06-01 --rate-limit 7".split(" ");

  test("T6 issues a token of a new id on the same terms, and revokes the old one at once, in one change", async () => {
    const old = await desk.json(["create", "--tenant", "acme", ...terms]);
    const later = new Date("2026-12-01T00:00:00.000Z");
    const rotated = await desk.json(["rotate", old.tokenId], { now: later });
    expect(Object.keys(rotated)).toEqual(Object.keys(old));
    expect(rotated).toEqual({
      ...old,
      token: rotated.token,
      tokenId: rotated.tokenId,
      createdAt: "2026-12-01T00:00:00.000Z",
    });
    expect([rotated.token === old.token, rotated.tokenId === old.tokenId]).toEqual([false, false]);
    expect(await desk.registry()).toMatchObject({
      revision: 2,
      tokens: [
        { tokenId: old.tokenId, revokedAt: "2026-12-01T00:00:00.000Z", replaces: null },
        { tokenId: rotated.tokenId, revokedAt: null, replaces: old.tokenId },
      ],
    });
  });

  test.each([
    ["14d", [], "2026-12-05T12:00:00.000Z"],
    ["2026-12-24T00:00:00Z", [], "2026-12-24T00:00:00.000Z"],
    ["14d", ["--expires", "7d"], "2026-11-28T12:00:00.000Z"],
  ])(
    "T6 --old-ends %s of a token with %j lets both work until then, in one change",
    async (oldEnds, ends, expiresAt) => {
      const old = await desk.json(["create", "--tenant", "acme", ...ends]);
      const { stdout, stderr, status } = await desk.run(["rotate", old.tokenId, "--old-ends", oldEnds]);
      expect([status, stdout]).toEqual([0, expect.stringMatching(/^ppr_[0-9A-Za-z]{49}\n$/)]);
      expect(stderr).toContain(`Token ${old.tokenId} ends in `);
      expect(await desk.registry()).toMatchObject({
        revision: 2,
        tokens: [
          { tokenId: old.tokenId, expiresAt, revokedAt: null },
          { expiresAt: old.expiresAt, revokedAt: null, replaces: old.tokenId },
        ],
      });
      expect(await desk.json(["list"])).toMatchObject([
        { status: "active", expiresAt },
        { status: "active" },
      ]);
      const audit = await runCommand(["audit", "list"], { env: desk.env });
      expect(audit.stdout).toContain(
        `${old.tokenId} ends ${expiresAt} instead of ${old.expiresAt ?? "never"}`,
      );
      const later = { now: new Date(expiresAt) };
      expect((await desk.json(["list"], later))[0]).toMatchObject({ status: "expired" });
      await desk.run(["revoke", "--tenant", "acme"]);
      expect((await desk.registry()).tokens.map(({ revokedAt }) => revokedAt === null)).toEqual([
        false,
        false,
      ]);
    },
  );

  test("refuses a token that is expired, and changes nothing", async () => {
    const old = await desk.json(["create", "--tenant", "acme", "--expires", "2027-06-01"]);
    const before = await desk.registryText();
    const result = await desk.run(["rotate", old.tokenId], { now: new Date("2028-01-01T00:00:00Z") });
    expect([result.status, result.stdout]).toEqual([2, ""]);
    expect(result.stderr).toContain(`Token ${old.tokenId} is expired`);
    expect(await desk.registryText()).toBe(before);
  });
});

describe("token revoke", () => {
  test("is all or none: with one unknown id nothing is revoked", async () => {
    const { tokenId } = await desk.json(["create", "--tenant", "acme"]);
    const before = await desk.registryText();
    const { status, stderr } = await desk.run(["revoke", tokenId, "tok_0000000000000000"]);
    expect(status).toBe(1);
    expect(stderr).toContain("No token tok_0000000000000000; nothing was revoked.");
    expect(await desk.registryText()).toBe(before);
  });

  test("T7 twice keeps the first time", async () => {
    const { tokenId } = await desk.json(["create", "--tenant", "acme"]);
    await desk.run(["revoke", tokenId]);
    expect((await desk.run(["revoke", tokenId], { now: new Date("2027-01-01T00:00:00Z") })).status).toBe(0);
    expect((await desk.registry()).tokens[0]?.revokedAt).toBe(desk.now.toISOString());
  });
});

const plaintext = "ppr_00000000000000000000000000000000000000000004IkxKR";

test.each([
  ["token", "rotate", plaintext],
  ["token", "revoke", plaintext],
  ["token", plaintext],
  [plaintext],
  ["token", "create", "--tenant", `${plaintext}/`],
  ["token", "create", "--tenant", plaintext],
  ["token", "create", "--tenant", "acme", `--rate-limit=${plaintext}`],
  ["token", "list", `--${plaintext}`],
])("T4 a plaintext given where something else belongs is not repeated by %s %s", async (...args) => {
  const { status, stdout, stderr } = await runCli(args, { env: desk.env });
  expect(status).not.toBe(0);
  expect(stderr).not.toBe("");
  expect(stdout + stderr).not.toContain(plaintext.slice(4));
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
    // Entries are appended: what was there when it was written is the list's beginning, and nothing of it
    // lives.
    const { tokens } = await desk.registry();
    expect(tokens.slice(0, revoked.length).map(({ tokenId }) => tokenId)).toEqual(revoked);
    expect(tokens.map(({ revokedAt }) => revokedAt !== null)).toEqual(
      tokens.map((_, at) => at < revoked.length),
    );
    expect(tokens).toHaveLength(4);
  });
});
