import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import nodeModule from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type GatewayFleet, startFleet } from "../../support/gateway-fleet.ts";

let temporary: string;
let fleet: GatewayFleet | undefined;

beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), "partner-programs-compile-cache-"));
});

afterEach(async () => {
  await fleet?.close();
  fleet = undefined;
  await rm(temporary, { recursive: true });
});

/** Starts a gateway and lets it end, when Node.js writes what it has compiled; gives its exit status. */
async function run(env: Readonly<Record<string, string>>): Promise<number | NodeJS.Signals | undefined> {
  fleet = await startFleet({ size: 1, env, fill: async () => {} });
  const [gateway] = fleet.gateways;
  gateway?.signal("SIGTERM");
  return await gateway?.ended;
}

const folder = (): string => join(temporary, `partner-programs-gateway-${process.getuid?.()}`);

const isOffered = "enableCompileCache" in nodeModule;

test.runIf(isOffered)("W91 compiled code is kept in a folder that nobody else may enter", async () => {
  expect(await run({ TMPDIR: temporary })).toBe(0);
  expect((await stat(folder())).mode & 0o777).toBe(0o700);
  expect(await readdir(folder())).toHaveLength(1);
});

test("W91 a folder that others may enter is left alone, and the gateway starts without it", async () => {
  await mkdir(folder());
  await chmod(folder(), 0o777);
  expect(await run({ TMPDIR: temporary })).toBe(0);
  expect(await readdir(folder())).toEqual([]);
});

test("W91 a gateway starts where there is no place for compiled code", async () => {
  const file = join(temporary, "file");
  await writeFile(file, "");
  expect(await run({ TMPDIR: file })).toBe(0);
});
