import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { exposedSecretWarnings, secretPaths } from "../../../core/secret-files.ts";
import { gatewaySettings } from "../../../core/settings.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "exposed-secrets-"));
  await chmod(folder, 0o755);
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function secretFile(mode: number, name = "secret"): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, "postgres://booking:hunter2@db/booking");
  await chmod(path, mode);
  return path;
}

test.each([0o644, 0o604, 0o444])(
  "P187: a file of mode %o is named with the fix, without its content",
  async (mode) => {
    const path = await secretFile(mode);
    const [warning, ...others] = exposedSecretWarnings([path]);
    expect(others).toEqual([]);
    expect(warning).toContain(`chmod 600 ${path}`);
    expect(warning).not.toContain("hunter2");
  },
);

test.each([0o600, 0o400, 0o640, 0o440])("P187: a file of mode %o is not named", async (mode) => {
  expect(exposedSecretWarnings([await secretFile(mode)])).toEqual([]);
});

test("P187: a file in a folder that others may not enter is not named", async () => {
  const path = await secretFile(0o644);
  await chmod(folder, 0o750);
  expect(exposedSecretWarnings([path])).toEqual([]);
});

test("P187: a link is judged by the file that it leads to", async () => {
  const link = join(folder, "link");
  await symlink(await secretFile(0o644), link);
  expect(exposedSecretWarnings([link])).toHaveLength(1);
});

test("P187: a secret that Kubernetes mounts is not named, whatever its mode", async () => {
  await mkdir(join(folder, "..2026_01_01_00_00_00.1"));
  await secretFile(0o644, "..2026_01_01_00_00_00.1/url");
  await symlink("..2026_01_01_00_00_00.1", join(folder, "..data"));
  await symlink(join("..data", "url"), join(folder, "url"));
  expect(exposedSecretWarnings([join(folder, "url")])).toEqual([]);
});

test("P187: a missing file is left to whoever reads it", () => {
  expect(exposedSecretWarnings([join(folder, "nothing")])).toEqual([]);
});

test("P187: the files of settings are looked at, and those that Node.js reads variables from", () => {
  const env = { REDIS_URL_FILE: "/etc/redis-url", DATABASE_URL_FILE: "/etc/database-url" };
  expect(secretPaths(gatewaySettings, env, [])).toEqual(["/etc/redis-url"]);
  const nodeArguments = ["--env-file=.env", "--no-warnings", "--env-file", "more.env"];
  expect(secretPaths({}, env, nodeArguments)).toEqual([".env", "more.env"]);
});
