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

  test.each([
    [
      "revoked",
      async (tokenId: string) => void (await desk.run(["revoke", tokenId])),
      new Date("2026-12-01T00:00:00Z"),
    ],
    ["expired", async () => {}, new Date("2028-01-01T00:00:00Z")],
  ])("refuses a token that is %s, and changes nothing", async (status, end, at) => {
    const old = await desk.json(["create", "--tenant", "acme", "--expires", "2027-06-01"]);
    await end(old.tokenId);
    const before = await desk.registryText();
    const result = await desk.run(["rotate", old.tokenId], { now: at });
    expect(result.status).toBe(2);
    expect(result.stdout).toBe("");
    expect(result.stderr).toContain(`Token ${old.tokenId} is ${status}`);
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

describe("T4 a plaintext given where something else belongs", () => {
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
  ])("is not repeated by %s %s", async (...args) => {
    const { status, stdout, stderr } = await runCli(args, { env: desk.env });
    expect(status).not.toBe(0);
    expect(stderr).not.toBe("");
    expect(stdout + stderr).not.toContain(plaintext.slice(4));
  });
});
