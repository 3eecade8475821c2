import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type Environment,
  parseSetting,
  parseSettings,
  valueNow,
} from "../../../core/process/setting-parser.ts";
import { cliSettings, gatewaySettings } from "../../../core/process/settings.ts";
import { folderForAllTests } from "../../support/lasting.ts";

const { redisUrl, redisUrlFile } = gatewaySettings;

const folder = folderForAllTests();

async function file(content: string | Uint8Array): Promise<string> {
  const path = join(folder, "secret");
  await writeFile(path, content);
  return path;
}

function faults(env: Environment): readonly string[] {
  const parsed = parseSettings({ redisUrlFile }, env);
  return parsed.ok ? [] : parsed.faults;
}

describe("a secret in a file (P100)", () => {
  test("is its content, without the line break at the end", async () => {
    const url = "redis://:hunter2@redis:6379";
    const env = { REDIS_URL_FILE: await file(`${url}\n`) };
    expect(parseSetting(redisUrl, env)).toEqual({ origin: "file", value: new URL(url) });
    const database = "postgres://ada:hunter2@db/booking";
    const inFile = { DATABASE_URL_FILE: await file(`${database}\n`) };
    expect(parseSetting(cliSettings.databaseUrl, inFile)).toMatchObject({ value: { url: database } });
  });

  test("may stand in the variable, too, where both say the same", async () => {
    const env = { REDIS_URL: "redis://redis", REDIS_URL_FILE: await file("redis://redis\n") };
    expect([parseSetting(redisUrl, env).origin, faults(env)]).toEqual(["environment", []]);
  });

  test("is read again for a new connection", async () => {
    const path = await file("redis://:first@redis");
    await file("redis://:second@redis\n");
    expect(valueNow(redisUrl, path, undefined)?.password).toBe("second");
    await file("hunter2");
    expect(() => valueNow(redisUrl, path, undefined)).toThrow(`REDIS_URL, in ${path}, is not a URL`);
    expect(() => valueNow(redisUrl, path, undefined)).not.toThrow("hunter2");
    await rm(path);
    expect(() => valueNow(redisUrl, path, undefined)).toThrow("REDIS_URL_FILE names a file that cannot be");
    expect(valueNow(redisUrl, undefined, new URL("redis://redis"))?.host).toBe("redis");
  });
});

const cases: readonly [what: string, env: () => Promise<Environment>, fault: RegExp][] = [
  [
    "the variable says something else",
    async () => ({
      REDIS_URL: "redis://:other@redis",
      REDIS_URL_FILE: await file("redis://:hunter2@redis"),
    }),
    /^REDIS_URL_FILE and REDIS_URL .*; unset one/,
  ],
  [
    "there is no such file",
    async () => ({ REDIS_URL_FILE: join(folder, "nothing") }),
    /^REDIS_URL_FILE .* \(ENOENT\)$/,
  ],
  ["it is a folder", async () => ({ REDIS_URL_FILE: folder }), /^REDIS_URL_FILE .* a regular file$/],
  ["it is empty", async () => ({ REDIS_URL_FILE: await file(" \n") }), /^REDIS_URL_FILE .* is empty$/],
  [
    "it is too large for a secret",
    async () => ({ REDIS_URL_FILE: await file("x".repeat(20_000)) }),
    /^REDIS_URL_FILE .* over 16384 bytes$/,
  ],
];
test.each(cases)(
  "the fault names the variable and never the secret (P100): %s",
  async (_, environment, fault) => {
    expect(faults(await environment())).toEqual([expect.stringMatching(fault)]);
  },
);
