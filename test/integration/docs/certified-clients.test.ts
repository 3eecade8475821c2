import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Certificate } from "../../../cli/partners/certify/certificate.ts";
import { ruleNames } from "../../../cli/partners/certify/rule.ts";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { page, projectRoot } from "../../support/markdown.ts";
import { type PartnerLanguage, runPartnerScript } from "../../support/partner-script.ts";
import { hasPython } from "../../support/python-client.ts";
import { runCli } from "../../support/run-cli.ts";
import { runToEnd } from "../../support/run-to-end.ts";

/** The real gateway in front of a sandbox, and partners' programs in processes of their own. */

let directory: string;
let env: Readonly<Record<string, string>>;
let gateway: GatewayProcess;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "certify-"));
  env = { STORE_URL: `file:${directory}/store`, DATA_DIR: directory };
  const { status, stderr } = await runCli(["sandbox", "init", "--without-source"], { env });
  if (status !== 0) throw new Error(stderr);
  gateway = await startGatewayProcess({
    ...env,
    TOKEN_REFRESH_MS: "50",
    RATE_LIMIT_REQUESTS: "40",
    RATE_LIMIT_WINDOW_SECONDS: "1",
  });
});

afterAll(async () => {
  gateway?.signal("SIGTERM");
  await gateway?.ended;
  await rm(directory, { recursive: true, force: true });
});

interface Token {
  readonly token: string;
  readonly tokenId: string;
}

async function issue(...terms: readonly string[]): Promise<Token> {
  const args = ["token", "create", "--tenant", "sandbox", "--json", ...terms];
  const issued: Token = JSON.parse((await runCli(args, { env })).stdout);
  await admitted(issued);
  return issued;
}

/** Resolves once the gateway knows the token. */
async function admitted({ token }: Token): Promise<void> {
  // A connection kept for the next token would be one that two partners share, which is not judged.
  const headers = { Authorization: `Bearer ${token}`, Connection: "close" };
  for (let status = 401; status !== 200; ) {
    const answer = await fetch(`${gateway.api}/v1/programs/sparse`, { headers });
    await answer.arrayBuffer();
    status = answer.status;
  }
}

/** Resolves when the log, which is written in the background, has as many requests of the token with the status. */
async function logged(tokenId: string, status: number, count: number): Promise<void> {
  const isOne = (line: string): boolean => line.includes(tokenId) && line.includes(`"status":${status}`);
  // The last line may be on its way.
  const lines = (): readonly string[] => gateway.output().split("\n").slice(0, -1);
  await expect.poll(() => lines().filter(isOne).length).toBeGreaterThanOrEqual(count);
}

/** What `certify` says of the requests with the token, and how it ends. */
async function certified(tokenId: string): Promise<{ readonly status: number | null } & Certificate> {
  const log = join(directory, "gateway.log");
  await writeFile(log, gateway.output());
  const { status, stdout } = await runCli(["certify", "--token-id", tokenId, "--log", log, "--json"], {
    env,
  });
  return { status, ...JSON.parse(stdout) };
}

function verdicts({ rules }: Certificate): Readonly<Record<string, string>> {
  return Object.fromEntries(rules.map(({ rule, verdict }) => [rule, verdict]));
}

const all = (verdict: string): Readonly<Record<string, string>> =>
  Object.fromEntries(ruleNames.map((rule) => [rule, verdict]));

const polls: Readonly<Record<PartnerLanguage, string>> = {
  JavaScript: `
    import { createProgramsClient, stateFile } from ${JSON.stringify(pathToFileURL(join(projectRoot, "dist/docs/client/programs-client.js")))};
    const { BASE_URL: baseUrl, TOKEN: token, STATE: state, POLLS: polls } = process.env;
    const client = createProgramsClient({ baseUrl, token, state: stateFile(state) });
    for (let poll = 0; poll < polls; poll += 1) await client.sync();
  `,
  Python: `
import os, sys
sys.path.insert(0, ${JSON.stringify(join(projectRoot, "docs/client"))})
from programs_client import ProgramsClient
client = ProgramsClient(os.environ["BASE_URL"], os.environ["TOKEN"], os.environ["STATE"])
for poll in range(int(os.environ["POLLS"])):
    client.sync()
`,
};

test.for(hasPython ? (["JavaScript", "Python"] as const) : (["JavaScript"] as const))(
  "the client of docs/client in %s passes: it meets its quota, and stops when its token has ended",
  async (language) => {
    const { token, tokenId } = await issue("--rate-limit", "8");
    const state = join(directory, `${language}.json`);
    const poll = (times: number): Promise<string> => {
      const partner = { BASE_URL: gateway.api, TOKEN: token, STATE: state, POLLS: String(times) };
      return runPartnerScript(polls[language], partner, language);
    };
    await poll(3);
    await runCli(["token", "revoke", tokenId], { env });
    // A gateway that knows a later token knows of the end of this one.
    await issue();
    await expect(poll(1)).rejects.toThrow("status 401");
    await logged(tokenId, 401, 1);
    const certificate = await certified(tokenId);
    // A handful of polls says nothing of the pauses between them, and one that was never refused nothing of `Retry-After`.
    const unseen = { polling: "not-seen", "retry-after": "not-seen" };
    expect([verdicts(certificate), certificate.status]).toEqual([{ ...all("pass"), ...unseen }, 0]);
    expect(certificate.requests).toBe(1 + 16 + 2 + 1);
  },
);

test("the tour of the sandbox fails by what it asks on purpose: a client is judged by a token of its own, as the page says", async () => {
  const { stdout } = await runCli(["sandbox", "init", "--without-source", "--rotate", "--json"], { env });
  const { tokens }: { readonly tokens: readonly (Token & { readonly variable: string })[] } =
    JSON.parse(stdout);
  const own = tokens.find(({ variable }) => variable === "SANDBOX_TOKEN");
  if (own === undefined) throw new Error(stdout);
  await admitted(own);
  const tour = join(projectRoot, "docs/sandbox-tour.sh");
  const variables = Object.fromEntries(tokens.map(({ variable, token }) => [variable, token]));
  await runToEnd("sh", [tour, gateway.api], variables);
  await logged(own.tokenId, 405, 2);
  const { rules } = await certified(own.tokenId);
  const failed = rules.filter(({ verdict }) => verdict === "fail").map(({ rule }) => rule);
  // Whether connections are judged goes by how fast the requests follow each other.
  expect(failed.filter((rule) => rule !== "keep-alive")).toEqual(["legacy", "methods"]);
  expect(page("docs/certify.md").text).toContain(
    "`SANDBOX_TOKEN` fails `keep-alive`, `legacy` and `methods`",
  );
});

test("W81 a naive loop fails by every rule, with what to do and requests to look at", async () => {
  // So few that a loop exceeds them on a slow machine, too.
  const { token, tokenId } = await issue("--rate-limit", "5");
  const code = `
    import { request } from "node:http";
    const { BASE_URL, TOKEN } = process.env;
    let refused = 0;
    const ask = (path, method = "GET") => new Promise((resolve, reject) => {
      const headers = { Authorization: "Bearer " + TOKEN };
      request(BASE_URL + path, { method, headers, agent: false }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (piece) => { text += piece; }).on("end", () => {
          if (answer.statusCode === 401) refused += 1;
          resolve(answer.statusCode === 200 ? JSON.parse(text) : undefined);
        });
      }).on("error", reject).end();
    });
    while (refused < 12) {
      await ask("/v1/programs", "HEAD");
      const list = await ask("/v1/programs");
      await ask("/api/v1/partner/programs");
      for (const { id } of list?.data ?? []) await ask("/v1/programs/" + id);
    }
  `;
  const loop = runPartnerScript(code, { BASE_URL: gateway.api, TOKEN: token });
  await logged(tokenId, 429, 11);
  const broken = async () => {
    const { rules } = await certified(tokenId);
    return rules.filter(({ verdict, examples }) => verdict === "fail" && examples.length === 3);
  };
  // All but what it does when its token ends.
  await expect.poll(async () => (await broken()).length).toBe(ruleNames.length - 1);
  await runCli(["token", "revoke", tokenId], { env });
  await loop;
  await logged(tokenId, 401, 12);
  const certificate = await certified(tokenId);
  expect([verdicts(certificate), certificate.status]).toEqual([all("fail"), 1]);
  const ids = new Set(gateway.output().match(/(?<="requestId":")[^"]+/g));
  for (const { rule, examples, advice } of certificate.rules) {
    expect([rule, examples.length, examples.every((id) => ids.has(id))]).toEqual([rule, 3, true]);
    expect(advice).toMatch(/\.$/);
  }
});
