import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";
import { expect, test } from "vitest";
import { connectionHeaders, type Exchange } from "../../../scripts/partner-pages/examples-page.ts";
import { runCommand } from "../../support/command-line.ts";
import { startGateway } from "../../support/gateway-fixture.ts";
import { folderForAllTests } from "../../support/lasting.ts";
import { page, tableAfter } from "../../support/markdown.ts";
import { expectStoredText, steadyBytes } from "../../support/stored-text.ts";

/** The exchange that names the snapshot that the list is from, and the one that is no GET. */
const since = "list-since";
const post = "405-post";

/** The resource, who asks for it, and a title of the answer, by the name of the exchange. */
type Plan = readonly [path: string, token: Exchange["token"], title: string];

const list = "/v1/programs";
const plans: Readonly<Record<string, Plan>> = {
  list: [list, "valid", "The list"],
  [since]: [list, "valid", "The list again: no detail has changed since that snapshot"],
  program: [`${list}/everything`, "valid", "A program"],
  "program-sparse": [`${list}/sparse`, "valid", "A program of which little is known"],
  "program-right-to-left": [`${list}/right-to-left`, "valid", "A program in Arabic"],
  legacy: ["/api/v1/partner/programs", "valid", "The deprecated resource"],
  "400-ill-formed-id": [`${list}/-`, "valid", "400: no id looks like that"],
  "401-no-token": [list, "none", "401: no token"],
  "401-wrong-token": [list, "wrong", "401: a mistyped, expired or revoked token"],
  "403-no-scope": [list, "valid, without the scope", "403: the token lacks the scope"],
  "404-program": [`${list}/cancelled`, "valid", "404: no such program, or not published any more"],
  "404-path": ["/v1/program", "valid", "404: no such path"],
  [post]: [list, "valid", "405: any method but GET"],
  "429-quota": [list, "valid, its quota used up", "429: the quota is used up"],
};

const directory = folderForAllTests();
const file = new URL("../../../docs/exchanges.json", import.meta.url);

test("docs/exchanges.json has what a gateway answers to partners of the sandbox", async () => {
  const { status, stdout } = await runCommand(["sandbox", "init", "--without-source"], {
    env: { STORE_URL: `file:${directory}`, LOG_LEVEL: "silent" },
    now: new Date("2027-01-15T08:00:00.000Z"),
    randomBytes: steadyBytes(),
  });
  expect(status).toBe(0);
  const variable = (name: string): string => new RegExp(`^${name}=(\\S+)$`, "m").exec(stdout)?.[1] ?? "";
  const tokens: Readonly<Record<Exchange["token"], string>> = {
    valid: variable("SANDBOX_TOKEN"),
    none: "",
    wrong: "ppr_mistyped",
    "valid, without the scope": variable("SANDBOX_TOKEN_WITHOUT_SCOPE"),
    "valid, its quota used up": variable("SANDBOX_TOKEN_SMALL_QUOTA"),
  };
  const gateway = await startGateway({ directory });
  try {
    for (let left = 3; left > 0; left -= 1)
      await gateway.client.get(list, tokens["valid, its quota used up"]);
    const exchanges: Exchange[] = [];
    for (const [name, [path, token, title]] of Object.entries(plans)) {
      const method = name === post ? "POST" : "GET";
      const snapshotSince = name === since ? exchanges[0]?.headers["Snapshot-Id"] : undefined;
      const answer = await ask(gateway.api, method, path, tokens[token], {
        "x-request-id": `example-${name}`,
        ...(snapshotSince !== undefined && { "snapshot-since": snapshotSince }),
      });
      exchanges.push({
        ...{ name, title, method, path, token },
        ...(snapshotSince !== undefined && { snapshotSince }),
        ...{ status: answer.statusCode ?? 0, reason: answer.statusMessage ?? "" },
        headers: apiHeaders(answer),
        body: await json(answer),
      });
    }
    const text = `${JSON.stringify(exchanges, null, 2)}\n`;
    expect(text).not.toContain("ppr_");
    await expectStoredText(file, text);
  } finally {
    await gateway.close();
  }
});

/**
 * The rows of docs/what-can-go-wrong.md about the API's own refusals: what one sees and what it means, by the
 * exchange that shows it.
 */
const refusals: Readonly<Record<string, readonly [sees: RegExp, means: RegExp]>> = {
  "400-ill-formed-id": [/^400/, /the id is \[none that can be\]/],
  "401-no-token": [/^401.*without `error`/, /no bearer token arrived/],
  "401-wrong-token": [
    /^401.*`error="invalid_token"`/,
    /mistyped, expired, revoked or rotated; or two `Authorization` headers/,
  ],
  "403-no-scope": [/^403/, /lacks the scope/],
  "404-program": [
    /^404 `not_found` of a program, with the `Snapshot-Id` of your list/,
    /no longer published/,
  ],
  "404-path": [/^404 of the list, or without `Snapshot-Id`/, /base address is wrong, the id was empty/],
  [post]: [/^405/, /HEAD, OPTIONS or POST/],
  "429-quota": [/^429/, /the window is used up/],
};

test.each(Object.entries(refusals))(
  "the page of what can go wrong tells %s from all others",
  async (name, [sees, means]) => {
    const exchanges: readonly Exchange[] = JSON.parse(await readFile(file, "utf8"));
    const { status, headers } = exchanges.find((exchange) => exchange.name === name) ?? expect.fail();
    const rows = tableAfter(page("docs/what-can-go-wrong.md").text, "a 200 of the list says what is gone");
    const [[seen = "", meant] = [], ...more] = rows.filter(([cell = ""]) => sees.test(cell));
    expect([seen.slice(0, 3), meant, more]).toEqual([String(status), expect.stringMatching(means), []]);
    if (seen.includes("error")) {
      const hasError = headers["WWW-Authenticate"]?.includes('error="invalid_token"');
      expect(hasError).toBe(!seen.includes("without `error`"));
    }
    if (status === 404) expect("Snapshot-Id" in headers).toBe(!seen.includes("without `Snapshot-Id`"));
  },
);

/** The headers as they are spelled, without those of the connection. */
function apiHeaders({ rawHeaders }: IncomingMessage): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    if (!connectionHeaders.includes(name)) headers[name] = value;
  }
  return headers;
}

/** Uses `node:http`, since `fetch` gives headers in another order and in lower case. */
async function ask(
  baseUrl: string,
  method: string,
  path: string,
  token: string,
  others: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  const headers = { ...others, ...(token !== "" && { authorization: `Bearer ${token}` }) };
  const asked = request(new URL(path, baseUrl), { method, headers, agent: false }).end();
  const [answer] = await once(asked, "response");
  return answer;
}
