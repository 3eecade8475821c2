import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test as plainTest } from "vitest";
import { sandboxCases } from "../../../cli/partners/sandbox/sandbox-programs.ts";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { folderForAllTests } from "../../support/lasting.ts";
import { codeBlocks, page, projectRoot } from "../../support/markdown.ts";
import { exportedFolder, type PartnerFolder } from "../../support/partner-folder.ts";
import { run } from "../../support/partner-tools.ts";
import { type PollingClient, pollingClients } from "../../support/polling-clients.ts";
import { runCli } from "../../support/run-cli.ts";
import { sandboxVariables } from "../../support/sandbox-env.ts";

const directory = folderForAllTests();
let folder: PartnerFolder;
let gateway: GatewayProcess;
let tokens: Readonly<Record<string, string>>;
let mock: ChildProcess;
let mockUrl: string;

beforeAll(async () => {
  const env = { STORE_URL: `file:${directory}/store`, DATA_DIR: directory };
  tokens = sandboxVariables((await runCli(["sandbox", "init", "--without-source"], { env })).stdout);
  gateway = await startGatewayProcess(env);
  folder = await exportedFolder();
  mock = spawn(process.execPath, [join(folder.directory, "mock/mock-api.mjs"), "0"]);
  const [said] = await once(mock.stdout ?? mock, "data");
  mockUrl = String(said).split(" ")[0] ?? "";
});
afterAll(async () => {
  mock?.kill();
  gateway?.signal("SIGTERM");
  await gateway?.ended;
  await folder?.close();
});

const list = "/v1/programs";
const requests: readonly (readonly [method: string, path: string, token: string | undefined])[] = [
  ...[list, "/api/v1/partner/programs"].map((path) => ["GET", path, "SANDBOX_TOKEN"] as const),
  ...sandboxCases.map(({ programId }) => ["GET", `${list}/${programId}`, "SANDBOX_TOKEN"] as const),
  ["GET", `${list}/never`, "SANDBOX_TOKEN"],
  ["GET", `${list}/constructor`, "SANDBOX_TOKEN"],
  ["GET", `${list}/-bad-`, "SANDBOX_TOKEN"],
  ["GET", "/v1/tours", "SANDBOX_TOKEN"],
  ["POST", list, "SANDBOX_TOKEN"],
  ["GET", list, undefined],
];

/** Status, headers and body; of headers whose value differs from call to call the name alone. */
async function answer(base: string, method: string, path: string, headers: Readonly<Record<string, string>>) {
  const response = await fetch(base + path, { method, headers: { "x-request-id": "r-1", ...headers } });
  const shown = [...response.headers].flatMap(([name, value]) => {
    if (/^(connection|content-|date|keep-alive|transfer-encoding|snapshot-confirmed-at)/.test(name))
      return [];
    return [/^(ratelimit|snapshot-|retry-after)/.test(name) ? name : `${name}: ${value}`];
  });
  return { status: response.status, headers: shown.sort(), body: await response.text() };
}

describe("W110 the mock", () => {
  plainTest.each(requests)("answers %s %s with %s as a gateway does", async (method, path, token) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${tokens[token]}` };
    // Packed answers would differ in a header: the mock packs none.
    const plain = { ...headers, "accept-encoding": "identity" };
    expect(await answer(mockUrl, method, path, plain)).toEqual(
      await answer(gateway.api, method, path, plain),
    );
  });

  plainTest.each([
    [403, "SANDBOX_TOKEN_WITHOUT_SCOPE"],
    [429, "SANDBOX_TOKEN_SMALL_QUOTA"],
  ] as const)("gives a %d that is asked for as a gateway does", async (status, token) => {
    const bearer = { authorization: `Bearer ${tokens[token]}` };
    let real = await answer(gateway.api, "GET", list, bearer);
    while (real.status === 200) real = await answer(gateway.api, "GET", list, bearer);
    const wanted = { authorization: "Bearer any", prefer: `code=${status}` };
    expect([real.status, await answer(mockUrl, "GET", list, wanted)]).toEqual([status, real]);
  });

  plainTest.each([
    ["20270115T080000Z-00000000", ""],
    ["20270114T080000Z-00000000", "departed"],
    ["20260101T000000Z-0a1b2c3d", "*"],
    ["yesterday", null],
    [undefined, null],
  ])("says of the list, since %s, that %j has changed", async (since, changed) => {
    const headers = {
      authorization: "Bearer any",
      ...(since === undefined ? {} : { "snapshot-since": since }),
    };
    const said = async (path: string): Promise<string | null> =>
      (await fetch(mockUrl + path, { headers })).headers.get("snapshot-changed");
    expect(await said(list)).toBe(changed);
    expect(await said("/api/v1/partner/programs")).toBeNull();
  });

  plainTest.each(["docs/sandbox.md", "docs/partners.md"])(
    "answers the lines to paste from %s",
    async (path) => {
      const lines = codeBlocks(page(path).text)
        .filter(({ code }) => code.startsWith("node mock/mock-api.mjs"))
        .flatMap(({ code }) => code.trim().split("\n").slice(1));
      const outputs = await Promise.all(
        lines.map((line) => run("sh", ["-c", line.replace("http://127.0.0.1:4010", mockUrl)], projectRoot)),
      );
      expect(outputs.map(({ output }) => /"meta"|"rate_limit_exceeded"/.exec(output)?.[0])).toEqual([
        '"meta"',
        '"rate_limit_exceeded"',
      ]);
    },
  );

  plainTest.each(pollingClients.filter(([, , isThere]) => isThere))(
    "makes a first copy by the client in %s the same as the sandbox does",
    async (language, create) => {
      const copy = async (baseUrl: string, token: string) => {
        const state = join(directory, `${language}-${token.length}.json`);
        const client: PollingClient = create({ baseUrl, token, state, refreshPerPoll: 0, maxAttempts: 1 });
        const { programs, requests: made } = await client.sync();
        return [made, [...programs].map(([id, { item, detail }]) => [id, item, detail])];
      };
      const real = await copy(gateway.api, tokens.SANDBOX_TOKEN ?? "");
      expect(await copy(mockUrl, "any")).toEqual(real);
      expect(real[0]).toBe(1 + sandboxCases.length - 1);
    },
  );
});
