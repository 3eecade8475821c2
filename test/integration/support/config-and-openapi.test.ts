import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { runCommand } from "../../support/command-line.ts";

test("config prints every setting with its value, its origin and who uses it", async () => {
  const { status, stdout } = await runCommand(["config"], { env: { PORT: "8088" } });
  expect(status).toBe(0);
  expect(stdout).toMatch(/^PORT +8088 +environment +gateway$/m);
  expect(stdout).toMatch(/^LEGACY_CAPACITY +object +default +CLI$/m);
  expect(stdout).toMatch(/^STORE_URL +file:\S+ +default +both$/m);
});

test("config shows all else when something is wrong, every fault at once, and ends with 2", async () => {
  const env = { PORT: "x", DATABASE_URL: "mysql://user:canary@host/db" };
  const { status, stdout, stderr } = await runCommand(["config"], { env });
  expect(status).toBe(2);
  expect(stdout).toMatch(/^PORT +faulty, see below +environment/m);
  expect(stdout).toMatch(/^HOST +127\.0\.0\.1/m);
  expect(stderr).toContain("PORT must be a whole number");
  expect(stderr).toContain("DATABASE_URL must begin with postgres://");
  expect(stdout + stderr).not.toContain("canary");
});

test("config --json prints an object for programs, with the same exit status", async () => {
  const good = await runCommand(["config", "--json"]);
  expect([good.status, JSON.parse(good.stdout).faults]).toEqual([0, []]);
  const bad = await runCommand(["config", "--json"], { env: { PORT: "x" } });
  expect(bad.status).toBe(2);
  const { settings, faults } = JSON.parse(bad.stdout);
  expect(faults).toEqual([expect.stringMatching(/^PORT /)]);
  expect(settings).toContainEqual(expect.objectContaining({ name: "PORT", value: null, fault: faults[0] }));
});

test.each([{}, { PORT: "x" }])(
  "D132 config names a misspelt setting with %j, with the same exit status",
  async (more) => {
    const env = { STORE_ULR: "s3://canary", HOSTNAME: "desk" };
    const plain = await runCommand(["config"], { env: more });
    const { status, stdout } = await runCommand(["config"], { env: { ...env, ...more } });
    expect(status).toBe(plain.status);
    expect(stdout).toBe(
      `${plain.stdout}\nHint: STORE_ULR is set and is no setting. Did you mean STORE_URL?\n`,
    );
    const { misspelt } = JSON.parse(
      (await runCommand(["config", "--json"], { env: { ...env, ...more } })).stdout,
    );
    expect(misspelt).toEqual([{ name: "STORE_ULR", nearest: "STORE_URL" }]);
  },
);

test("openapi prints the generated document as it is", async () => {
  const { status, stdout } = await runCommand(["openapi"]);
  const generated = await readFile(
    new URL("../../../schemas/generated/openapi.json", import.meta.url),
    "utf8",
  );
  expect([status, stdout]).toEqual([0, generated]);
  expect(JSON.parse(stdout).openapi).toMatch(/^3\.1\./);
});
