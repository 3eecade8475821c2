// Writes docs/exchanges.json: what a gateway answers to partners, of the programs and tokens of the sandbox. `docs export` shows
// it. Everything is the same each time (clock, random bytes), so that a renewal shows in the diff what has changed.
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { startGateway } from "../cli/demo/programs.ts";
import { exchangesFile } from "../cli/partners/folder/site-page.ts";
import { connectionHeaders, type Exchange } from "./partner-pages/examples-page.ts";
import { createTerminal } from "./support-page/terminal.ts";
import { temporaryFolder } from "./temporary-folder.ts";

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

const directory = temporaryFolder("exchanges");
const exchanges = await record();
await writeFile(exchangesFile, `${JSON.stringify(exchanges, null, 2)}\n`);
console.log(`${exchangesFile}: ${exchanges.length} answers.`);

async function record(): Promise<readonly Exchange[]> {
  const env = { STORE_URL: `file:${join(directory, "store")}`, DATA_DIR: directory, LOG_LEVEL: "silent" };
  const terminal = createTerminal(env);
  terminal.at("2027-01-15T08:00:00.000Z");
  const { status, stdout, shown } = await terminal.run(["sandbox", "init", "--without-source"]);
  if (status !== 0) throw new Error(`sandbox init ended with ${status}: ${shown}`);
  const variable = (name: string): string => new RegExp(`^${name}=(\\S+)$`, "m").exec(stdout)?.[1] ?? "";
  const tokens: Readonly<Record<Exchange["token"], string>> = {
    valid: variable("SANDBOX_TOKEN"),
    none: "",
    wrong: "ppr_mistyped",
    "valid, without the scope": variable("SANDBOX_TOKEN_WITHOUT_SCOPE"),
    "valid, its quota used up": variable("SANDBOX_TOKEN_SMALL_QUOTA"),
  };
  const settings = { LOG_LEVEL: "warn", PORT: "0", ADMIN_PORT: "off" };
  const gateway = await startGateway({ ...process.env, ...env, ...settings });
  try {
    const used = tokens["valid, its quota used up"];
    for (let left = 3; left > 0; left -= 1)
      (await ask(gateway.baseUrl, "GET", list, used, { "x-request-id": "used-up" })).resume();
    const exchanges: Exchange[] = [];
    for (const [name, [path, token, title]] of Object.entries(plans)) {
      const method = name === post ? "POST" : "GET";
      const snapshotSince = name === since ? exchanges[0]?.headers["Snapshot-Id"] : undefined;
      const answer = await ask(gateway.baseUrl, method, path, tokens[token], {
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
    return exchanges;
  } finally {
    gateway.stop();
    await gateway.ended;
  }
}

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
