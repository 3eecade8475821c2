import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { folderForAllTests } from "../../support/lasting.ts";
import { markedBlock, page, projectRoot } from "../../support/markdown.ts";
import { runCli } from "../../support/run-cli.ts";
import { runToEnd } from "../../support/run-to-end.ts";
import { sandboxVariables } from "../../support/sandbox-env.ts";
import { expectStoredText } from "../../support/stored-text.ts";

const directory = folderForAllTests();
let gateway: GatewayProcess;
let tokens: Readonly<Record<string, string>>;
const text = page("docs/sandbox.md").text;

beforeAll(async () => {
  const env = { STORE_URL: `file:${directory}/store`, DATA_DIR: directory };
  tokens = sandboxVariables((await runCli(["sandbox", "init", "--without-source"], { env })).stdout);
  // What is left of a quota is on the page, and would be more again where a tour takes longer than a window.
  gateway = await startGatewayProcess({ ...env, RATE_LIMIT_WINDOW_SECONDS: "3600" });
});
afterAll(async () => {
  gateway?.signal("SIGTERM");
  await gateway?.ended;
});

/** What differs from call to call: ids of snapshots, and where a window stands. */
function settled(output: string): string {
  return output
    .replace(/\d{8}T\d{6}Z-[0-9a-f]{8}/g, "<snapshot>")
    .replace(/;t=\d+|(?<=Retry-After: )\d+/g, "<seconds>");
}

const script = join(projectRoot, "docs/sandbox-tour.sh");

test("the tour gets every answer but a 500 from the real gateway, twice in a row, and the page shows them", async () => {
  const first = await runToEnd("sh", [script, gateway.api], tokens);
  expect(first.status).toBe(0);
  await expectStoredText(new URL("printed/sandbox-tour.txt", import.meta.url), settled(first.output));
  // The page has the beginning and the end.
  const [beginning = "", end = ""] = settled(markedBlock(text, "sandbox tour")).split("...\n");
  expect(settled(first.output).startsWith(beginning) && settled(first.output).endsWith(end)).toBe(true);
  expect([beginning, end].map((part) => part.length > 20)).toEqual([true, true]);
  const statuses = new Set(first.output.match(/^\d{3}/gm));
  expect([...statuses].sort()).toEqual(["200", "400", "401", "403", "404", "405", "429"]);
  // The small quota is used up by now.
  expect((await runToEnd("sh", [script, gateway.api], tokens)).status).toBe(0);
});

test("the tour says which answer was another than expected, and ends with 1", async () => {
  const wrong = { ...tokens, SANDBOX_TOKEN_EXPIRED: tokens.SANDBOX_TOKEN ?? "" };
  const { status, output } = await runToEnd("sh", [script, `${gateway.api}/`], wrong);
  expect(status).toBe(1);
  expect(output.match(/^.*EXPECTED.*$/gm)).toEqual([expect.stringMatching(/^200 {2}EXPECTED 401.*expired/)]);
});
