// Writes docs/exchanges.json: what a gateway answers to partners, of the programs and tokens of the sandbox. `docs export` shows
// it. Everything is the same each time (clock, random bytes), so that a renewal shows in the diff what has changed.
import { writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { startGateway } from "../cli/demo/programs.ts";
import { connectionHeaders, type Exchange, exchangesFile } from "../cli/partners/folder/examples-page.ts";
import { createTerminal } from "./support-page/terminal.ts";
import { temporaryFolder } from "./temporary-folder.ts";

type Plan = Pick<Exchange, "name" | "title" | "path" | "token"> & {
  readonly method?: string;
  /** Whether it names the snapshot that the list is from. */
  readonly isSince?: boolean;
};

const list = "/v1/programs";
const plans: readonly Plan[] = [
  { name: "list", title: "The list", path: list, token: "valid" },
  {
    name: "list-since",
    title: "The list again: no detail has changed since that snapshot",
    path: list,
    token: "valid",
    isSince: true,
  },
  { name: "program", title: "A program", path: `${list}/everything`, token: "valid" },
  {
    name: "program-sparse",
    title: "A program of which little is known",
    path: `${list}/sparse`,
    token: "valid",
  },
  {
    name: "program-right-to-left",
    title: "A program in Arabic",
    path: `${list}/right-to-left`,
    token: "valid",
  },
  { name: "legacy", title: "The deprecated resource", path: "/api/v1/partner/programs", token: "valid" },
  { name: "400-ill-formed-id", title: "400: no id looks like that", path: `${list}/-`, token: "valid" },
  { name: "401-no-token", title: "401: no token", path: list, token: "none" },
  {
    name: "401-wrong-token",
    title: "401: a mistyped, expired or revoked token",
    path: list,
    token: "wrong",
  },
  {
    name: "403-no-scope",
    title: "403: the token lacks the scope",
    path: list,
    token: "valid, without the scope",
  },
  {
    name: "404-program",
    title: "404: no such program, or not published any more",
    path: `${list}/cancelled`,
    token: "valid",
  },
  { name: "404-path", title: "404: no such path", path: "/v1/program", token: "valid" },
  { name: "405-post", title: "405: any method but GET", method: "POST", path: list, token: "valid" },
  { name: "429-quota", title: "429: the quota is used up", path: list, token: "valid, its quota used up" },
];

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
    for (let left = 3; left > 0; left -= 1)
      (
        await ask(gateway.baseUrl, "GET", list, tokens["valid, its quota used up"], { requestId: "used-up" })
      ).resume();
    const exchanges: Exchange[] = [];
    for (const plan of plans) {
      const since = plan.isSince ? exchanges[0]?.headers["Snapshot-Id"] : undefined;
      exchanges.push(await recorded(gateway.baseUrl, plan, tokens[plan.token], since));
    }
    return exchanges;
  } finally {
    gateway.stop();
    await gateway.ended;
  }
}

async function recorded(
  baseUrl: string,
  plan: Plan,
  token: string,
  since: string | undefined,
): Promise<Exchange> {
  const { name, title, path, method = "GET" } = plan;
  const answer = await ask(baseUrl, method, path, token, { requestId: `example-${name}`, since });
  const headers: [string, string][] = [];
  for (const [at, header] of answer.rawHeaders.entries()) {
    if (at % 2 === 1 || connectionHeaders.includes(header)) continue;
    headers.push([header, answer.rawHeaders[at + 1] ?? ""]);
  }
  const { statusCode: status = 0, statusMessage: reason = "" } = answer;
  return {
    ...{ name, title, method, path, token: plan.token },
    ...(since !== undefined && { snapshotSince: since }),
    ...{ status, reason },
    headers: Object.fromEntries(headers),
    body: await json(answer),
  };
}

/** Uses `node:http`, since `fetch` gives headers in another order and in lower case. */
function ask(
  baseUrl: string,
  method: string,
  path: string,
  token: string,
  { requestId, since }: { readonly requestId: string; readonly since?: string | undefined },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = {
      "x-request-id": requestId,
      ...(token !== "" && { authorization: `Bearer ${token}` }),
      ...(since !== undefined && { "snapshot-since": since }),
    };
    request(new URL(path, baseUrl), { method, headers, agent: false }, resolve).on("error", reject).end();
  });
}
