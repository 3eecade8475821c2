import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { folderForAllTests } from "../../support/lasting.ts";
import { page, tableAfter } from "../../support/markdown.ts";
import { converse, type RawResponse } from "../../support/raw-http.ts";
import { runCli } from "../../support/run-cli.ts";
import { sandboxVariables } from "../../support/sandbox-env.ts";

const directory = folderForAllTests();
let gateway: GatewayProcess;
let tokens: Readonly<Record<string, string>>;
const rows = tableAfter(page("docs/what-can-go-wrong.md").text, "only a 200 of the list");

beforeAll(async () => {
  const env = { STORE_URL: `file:${directory}/store`, DATA_DIR: directory };
  tokens = sandboxVariables((await runCli(["sandbox", "init", "--without-source"], { env })).stdout);
  gateway = await startGatewayProcess(env);
});
afterAll(async () => {
  gateway?.signal("SIGTERM");
  await gateway?.ended;
});

/** What a request brings that the page tells apart: the status, and what the headers say. */
interface Answer {
  readonly status: number;
  readonly challenge?: string;
  readonly hasSnapshot?: boolean;
}
interface Case {
  /** What the page says that one sees, and why. */
  readonly sees: RegExp;
  readonly means: RegExp;
  readonly requests: readonly (readonly [path: string, authorization: readonly string[], method?: string])[];
  readonly answer: Answer;
}

/** A variable of the sandbox in braces stands for its token. */
const good = ["Bearer {SANDBOX_TOKEN}"];
const bare = 'Bearer realm="programs"';
const invalid = 'Bearer realm="programs", error="invalid_token"';
const list = "/v1/programs";
const cases: readonly Case[] = [
  {
    sees: /^400/,
    means: /the id is \[none that can be\]/,
    requests: ["-", "a%20b", "_a", "a%", "a".repeat(129)].map((id) => [`${list}/${id}`, good]),
    answer: { status: 400 },
  },
  {
    sees: /^401.*without `error`/,
    means: /no bearer token arrived/,
    requests: [
      [list, []],
      [list, ["Basic YTpi"]],
      [`${list}?token={SANDBOX_TOKEN}`, []],
    ],
    answer: { status: 401, challenge: bare },
  },
  {
    sees: /^401.*`error="invalid_token"`/,
    means: /mistyped, expired, revoked or rotated; or two `Authorization` headers/,
    requests: [
      [list, ["Bearer ppr_mistyped"]],
      [list, ["Bearer {SANDBOX_TOKEN_EXPIRED}"]],
      [list, ["Bearer {SANDBOX_TOKEN_REVOKED}"]],
      [list, [...good, ...good]],
      [list, ["Basic YTpi", ...good]],
    ],
    answer: { status: 401, challenge: invalid },
  },
  {
    sees: /^403/,
    means: /lacks the scope/,
    requests: [[list, ["Bearer {SANDBOX_TOKEN_WITHOUT_SCOPE}"]]],
    answer: { status: 403 },
  },
  {
    sees: /^404 `not_found` of a program, with `Snapshot-Id`/,
    means: /no longer published/,
    requests: [
      [`${list}/cancelled`, good],
      [`${list}/never`, good],
    ],
    answer: { status: 404, hasSnapshot: true },
  },
  {
    sees: /^404 of the list, or without `Snapshot-Id`/,
    means: /base address is wrong, the id was empty/,
    requests: [
      [`${list}/`, good],
      ["/partners/v1/programs", good],
      ["/v1/program", []],
    ],
    answer: { status: 404, hasSnapshot: false },
  },
  {
    sees: /^405/,
    means: /HEAD, OPTIONS or POST/,
    requests: ["HEAD", "OPTIONS", "POST"].map((method) => [list, good, method]),
    answer: { status: 405 },
  },
];

describe("what the page of what can go wrong tells apart is what a real gateway answers", () => {
  test.each(cases)("$sees", async ({ sees, means, requests, answer }) => {
    const row = rows.filter(([cell = ""]) => sees.test(cell));
    expect(row).toHaveLength(1);
    expect(row[0]?.[1]).toMatch(means);
    for (const request of requests) {
      const { status, header } = await ask(...request);
      expect([request[0], status]).toEqual([request[0], answer.status]);
      if (answer.challenge !== undefined) expect(header("www-authenticate")).toBe(answer.challenge);
      if (answer.hasSnapshot !== undefined) {
        expect(header("snapshot-id") !== undefined, request[0]).toBe(answer.hasSnapshot);
      }
    }
  });
});

async function ask(path: string, authorization: readonly string[], method = "GET"): Promise<RawResponse> {
  const lines = authorization.map((value) => `Authorization: ${value}\r\n`).join("");
  const head = `${method} ${path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n${lines}\r\n`;
  const send = head.replace(/\{(SANDBOX_\w+)\}/g, (_, name) => tokens[name] ?? "");
  const { responses } = await converse(gateway.api, {
    send,
    responses: 1,
    bodiless: method === "HEAD" ? 1 : 0,
  });
  const [response] = responses;
  if (response === undefined) throw new Error(`no answer to ${method} ${path}`);
  return response;
}
