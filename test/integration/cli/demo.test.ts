import { chmod, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { folderForAllTests } from "../../support/lasting.ts";
import { type CliProcess, runCli, startCli } from "../../support/run-cli.ts";

const folder = folderForAllTests();
beforeAll(async () => {
  // As root the server runs under another account, which has to pass.
  await chmod(folder, 0o755);
});
/** What a shell of an operator may be set up for; nothing listens there. */
function operatorEnvironment(dataDir: string): Record<string, string> {
  return {
    DATA_DIR: dataDir,
    DATABASE_URL: "postgres://127.0.0.1:1/booking",
    STORE_URL: `file:${folder}/real-store`,
    RATE_LIMIT_REQUESTS: "not a number",
  };
}

async function outputOf({ child, ended }: CliProcess, pattern: RegExp): Promise<RegExpExecArray> {
  let text = "";
  const found = new Promise<RegExpExecArray>((resolve) => {
    child.stdout?.on("data", (part: string) => {
      text += part;
      const match = pattern.exec(text);
      if (match !== null) resolve(match);
    });
  });
  const early = ended.then(({ status, stderr }) => {
    throw new Error(`It ended with ${status} before it printed ${pattern}: ${stderr}`);
  });
  return await Promise.race([found, early]);
}

describe("the demo", () => {
  test("P120 keeps to its folder, and may be repeated", async () => {
    const env = operatorEnvironment(join(folder, "data"));
    const first = await runCli(["demo", "--check"], { env });
    expect(first).toMatchObject({ status: 0, stderr: "" });
    expect(first.stdout).toMatch(/6 of 6 answers .* ended with 0\./);

    const second = startCli(["demo"], { env });
    const serving = /(http:\S+)\n[\s\S]*TOKEN=(ppr_\S+)[\s\S]*Ctrl-C ends the demo/;
    const [, baseUrl, token] = await outputOf(second, serving);
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${baseUrl}/v1/programs`, { headers })).status).toBe(200);
    second.child.kill("SIGINT");
    expect(await second.ended).toMatchObject({ status: 0, signal: null, stderr: "" });

    expect(await readdir(folder)).toEqual(["data"]);
  });

  test("P120 begins in no folder whose store it did not make", async () => {
    const dataDir = join(folder, "occupied");
    await mkdir(join(dataDir, "store", "tenants"), { recursive: true });
    const { status, stderr } = await runCli(["demo", "--check"], { env: operatorEnvironment(dataDir) });
    expect(status).toBe(2);
    expect(stderr).toContain(`${dataDir}/store was not made`);
    expect(await readdir(dataDir, { recursive: true })).toEqual(["store", "store/tenants"]);
  });
});
