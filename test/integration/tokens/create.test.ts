import { describe, expect, test } from "vitest";
import { parseToken, tokenDigest } from "../../../core/token.ts";
import { freshForEachTest } from "../../support/lasting.ts";
import { allStoredText } from "../../support/store-tree.ts";
import { openTokenDesk } from "../../support/token-desk.ts";

const desk = freshForEachTest(openTokenDesk);

describe("token create", () => {
  test("T4 prints the plaintext alone on standard output, and everything else on standard error", async () => {
    const { status, stdout, stderr } = await desk.run([
      "create",
      "--tenant",
      "acme",
      "--name",
      "Globetrotter",
    ]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ppr_[0-9A-Za-z]{49}\n$/);
    const [entry] = (await desk.registry()).tokens;
    expect(stderr).toBe(
      [
        `token id    ${entry?.tokenId}`,
        "tenant      acme",
        "name        Globetrotter",
        "scopes      programs.read",
        "expires     never",
        "rate limit  the gateway's",
        "",
      ].join("\n"),
    );
  });

  test("T3, T4 stores the SHA-256 of the plaintext, and the plaintext nowhere: not in the store, not in the log", async () => {
    const created = await desk.json(["create", "--tenant", "acme"]);
    const rotated = await desk.json(["rotate", created.tokenId]);
    const { stdout, stderr } = await desk.run(["list", "--json"]);
    const [old, current] = (await desk.registry()).tokens;
    const everything = (await allStoredText(desk.directory)) + stdout + stderr;
    for (const [plaintext, entry] of [
      [created.token, old],
      [rotated.token, current],
    ]) {
      const parsed = parseToken(plaintext);
      expect(parsed && tokenDigest(parsed)).toBe(entry.sha256);
      expect(everything).not.toContain(plaintext.slice(4, 24));
    }
  });

  test("T5, T12 gives a token without options the scope programs.read, no expiry and no limit of its own", async () => {
    await desk.run(["create", "--tenant", "acme"]);
    expect((await desk.registry()).tokens).toMatchObject([
      {
        tenantId: "acme",
        name: null,
        scopes: ["programs.read"],
        expiresAt: null,
        rateLimit: null,
        createdAt: desk.now.toISOString(),
        revokedAt: null,
        replaces: null,
      },
    ]);
  });

  test.each([
    [
      ["--scope", "programs.read", "bookings:write"],
      ["programs.read", "bookings:write"],
    ],
    [
      ["--scope", "a", "--scope", "b", "--scope", "a"],
      ["a", "b"],
    ],
    [["--scope", "x".repeat(64)], ["x".repeat(64)]],
  ])("T12 takes the scopes %j with --allow-unknown-scope", async (args, scopes) => {
    const create = ["create", "--tenant", "acme", "--allow-unknown-scope", ...args];
    expect((await desk.json(create)).scopes).toEqual(scopes);
  });

  test.each([
    [["programs.list"], "programs.list"],
    [["programs.read", "bookings:write", "x"], "bookings:write, x"],
  ])("T12 refuses the scopes %j, which open nothing, and names the known one", async (scopes, unknown) => {
    const { status, stdout, stderr } = await desk.run(["create", "--tenant", "acme", "--scope", ...scopes]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`the scope ${unknown}; the known one is programs.read.`);
    expect(stderr).toContain("--allow-unknown-scope");
    expect(await desk.registryText()).toBeUndefined();
  });

  test.each([
    ["programs.list", true],
    ["programs.read", false],
  ])("of the scope %s warns on standard error: %j", async (scope, isWarned) => {
    const create = ["create", "--tenant", "acme", "--allow-unknown-scope", "--scope", scope];
    const { stderr } = await desk.run(create);
    expect(/WARNING: .* programs\.read/.test(stderr)).toBe(isWarned);
  });

  test("takes no plaintext of a token for a name, and does not repeat it", async () => {
    const token = (await desk.run(["create", "--tenant", "acme"])).stdout.trim();
    const { status, stdout, stderr } = await desk.run([
      "create",
      "--tenant",
      "acme",
      "--name",
      `of ${token}`,
    ]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("argument 'of ppr_…' is invalid");
    expect(await desk.registryText()).not.toContain(token);
  });

  test("T13 refuses a tenant without a published snapshot, unless --allow-unpublished says otherwise", async () => {
    const { status, stdout, stderr } = await desk.run(["create", "--tenant", "beta"]);
    expect([status, stdout, stderr]).toEqual([1, "", expect.stringMatching(/ beta .*--allow-unpublished/)]);
    expect(await desk.registryText()).toBeUndefined();
    expect((await desk.json(["create", "--tenant", "beta", "--allow-unpublished"])).tenantId).toBe("beta");
  });

  test.each([
    [["--tenant", "../acme"], "Not a tenant id"],
    [["--tenant", "acme", "--name", "x".repeat(201)], "1 to 200 characters"],
    [["--tenant", "acme", "--name", "a\u202eb"], "1 to 200 characters"],
    [["--tenant", "acme", "--name", "a\u001b[2Jb"], "1 to 200 characters"],
    [["--tenant", "acme", "--scope", "a b"], "Expected a lower-case letter"],
    [["--tenant", "acme", "--scope"], "argument missing"],
    [["--tenant", "acme", "--expires", "2027-02-30T00:00:00Z"], "RFC 3339"],
    [["--tenant", "acme", "--expires", "2026-11-21T12:00:00Z"], "in the past"],
    [["--tenant", "acme", "--rate-limit", "0"], "whole number from 1"],
    [["--tenant", "acme", "--rate-limit", "1.5"], "whole number from 1"],
    [["--tenant", "acme", "extra"], "too many arguments"],
  ])("%j is wrong usage, and nothing is written", async (args, reason) => {
    const { status, stdout, stderr } = await desk.run(["create", ...args]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(reason);
    expect(await desk.registryText()).toBeUndefined();
  });
});

describe("TOKEN_MAX_LIFETIME", () => {
  const env = { TOKEN_MAX_LIFETIME: "30d" };
  const latest = "2026-12-21T12:00:00.000Z";

  test("T15 is the end of a token that is given none, and of one that replaces an older token", async () => {
    const unbound = await desk.json(["create", "--tenant", "acme"]);
    expect(await desk.json(["create", "--tenant", "acme"], { env })).toMatchObject({ expiresAt: latest });
    expect(await desk.json(["rotate", unbound.tokenId], { env })).toMatchObject({ expiresAt: latest });
    const short = await desk.json(["create", "--tenant", "acme", "--expires", "7d"], { env });
    expect(short.expiresAt).toBe("2026-11-28T12:00:00.000Z");
    expect((await desk.json(["rotate", short.tokenId], { env })).expiresAt).toBe(short.expiresAt);
  });

  test("T15 refuses a later end, wherever it is asked for, and changes nothing", async () => {
    const { tokenId } = await desk.json(["create", "--tenant", "acme"]);
    const before = await desk.registryText();
    for (const args of [
      ["create", "--tenant", "acme", "--expires", "31d"],
      ["expire", tokenId, "--at", "31d"],
      ["rotate", tokenId, "--old-ends", "31d"],
    ]) {
      const { status, stderr } = await desk.run(args, { env });
      expect([status, stderr]).toEqual([2, expect.stringContaining("lies beyond TOKEN_MAX_LIFETIME")]);
    }
    expect(await desk.registryText()).toBe(before);
    expect(await desk.run(["expire", tokenId, "--at", "30d"], { env })).toMatchObject({ status: 0 });
  });
});
