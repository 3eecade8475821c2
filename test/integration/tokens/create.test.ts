import { describe, expect, test } from "vitest";
import { parseToken, tokenDigest } from "../../../core/documents/token.ts";
import { freshForEachTest } from "../../support/lasting.ts";
import { sized } from "../../support/quick-pass.ts";
import { runCli } from "../../support/run-cli.ts";
import { allStoredText } from "../../support/store-tree.ts";
import { openTokenDesk } from "../../support/token-desk.ts";

const desk = freshForEachTest(openTokenDesk);

describe("token create", () => {
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

test("T11 token commands side by side in several processes lose nothing", async () => {
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
