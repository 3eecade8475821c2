// Writes docs/exchanges.json: what a gateway answers to partners, of the sample data. `docs export` shows it. Everything is the
// same each time (seed, dates, clock, random bytes), so that a renewal shows in the diff what has changed.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withEmbeddedPostgres } from "../cli/database/start-embedded-postgres.ts";
import { type RunningGateway, startGateway } from "../cli/demo/programs.ts";
import { type Exchange, exchangesFile } from "../cli/partners/folder/examples-page.ts";
import { createTerminal } from "./support-page/terminal.ts";

type Plan = Pick<Exchange, "name" | "title" | "path" | "token"> & { readonly method?: string };

const tenant = "atlas-journeys";
const rightToLeftTenant = "zaytuna-travel";
const day = "2027-01-15";
/** Headers of the connection, of which the description of the API says nothing; they differ each time. */
const transport = ["connection", "content-length", "date", "keep-alive", "transfer-encoding"];

const directory = await mkdtemp(join(tmpdir(), "exchanges-"));
try {
  const exchanges = await withEmbeddedPostgres(directory, { durable: false }, record);
  await writeFile(exchangesFile, `${JSON.stringify(exchanges, null, 2)}\n`);
  console.log(`${exchangesFile}: ${exchanges.length} answers.`);
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function record(databaseUrl: string): Promise<readonly Exchange[]> {
  const env = {
    DATABASE_URL: databaseUrl,
    STORE_URL: `file:${join(directory, "store")}`,
    LOG_LEVEL: "silent",
  };
  const terminal = createTerminal(env);
  terminal.at(`${day}T08:00:00.000Z`);
  const run = async (...args: readonly string[]): Promise<string> => {
    const { status, stdout, shown } = await terminal.run(args);
    // 3: the sample data has faults on purpose, which the build reports.
    if (status !== 0 && status !== 3) throw new Error(`${args.join(" ")} ended with ${status}: ${shown}`);
    return stdout.trim();
  };
  await run("source", "init");
  await run("source", "seed", "--date", day);
  await run("snapshot", "build");
  const token = (of: string, ...more: readonly string[]) => run("token", "create", "--tenant", of, ...more);
  const tokens: Readonly<Record<Exchange["token"], string>> = {
    valid: await token(tenant),
    none: "",
    wrong: "ppr_mistyped",
    "valid, without the scope": await token(tenant, "--scope", "orders.read", "--allow-unknown-scope"),
    "valid, its quota used up": await token(tenant, "--rate-limit", "1"),
  };
  const strangerToken = await token(rightToLeftTenant);
  const gateway = await startGateway({
    ...process.env,
    ...env,
    LOG_LEVEL: "warn",
    PORT: "0",
    ADMIN_PORT: "off",
  });
  try {
    return await recordAll(gateway, tokens, strangerToken);
  } finally {
    gateway.stop();
    await gateway.ended;
  }
}

async function recordAll(
  { baseUrl }: RunningGateway,
  tokens: Readonly<Record<Exchange["token"], string>>,
  strangerToken: string,
): Promise<readonly Exchange[]> {
  const ids = await idsBySize(baseUrl, tokens.valid);
  const [stranger = ""] = await idsBySize(baseUrl, strangerToken);
  const [full = "", sparse = ""] = [ids[0], ids.at(-1)];
  const list = "/v1/programs";
  const plans: readonly Plan[] = [
    { name: "list", title: "The list", path: list, token: "valid" },
    { name: "program", title: "A program", path: `${list}/${full}`, token: "valid" },
    {
      name: "program-sparse",
      title: "A program of which little is known",
      path: `${list}/${sparse}`,
      token: "valid",
    },
  ];
  const refusals: readonly Plan[] = [
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
      path: `${list}/${stranger}`,
      token: "valid",
    },
    { name: "404-path", title: "404: no such path", path: "/v1/program", token: "valid" },
    { name: "405-post", title: "405: any method but GET", method: "POST", path: list, token: "valid" },
    { name: "429-quota", title: "429: the quota is used up", path: list, token: "valid, its quota used up" },
  ];
  // The one request that this token has.
  await ask(baseUrl, "GET", list, tokens["valid, its quota used up"]);
  const recordOne = (plan: Plan, token = tokens[plan.token]) => recorded(baseUrl, plan, token);
  const rightToLeft: Plan = {
    name: "program-right-to-left",
    title: "A program in Arabic, of another company",
    path: `${list}/${stranger}`,
    token: "valid",
  };
  const exchanges: Exchange[] = [];
  for (const plan of plans) exchanges.push(await recordOne(plan));
  exchanges.push(await recordOne(rightToLeft, strangerToken));
  for (const plan of refusals) exchanges.push(await recordOne(plan));
  return exchanges;
}

/** The ids of all programs, the one with the largest detail first. */
async function idsBySize(baseUrl: string, token: string): Promise<readonly string[]> {
  const list = JSON.parse(await (await ask(baseUrl, "GET", "/v1/programs", token)).text());
  const sized: { readonly id: string; readonly size: number }[] = [];
  for (const { id } of list.data) {
    sized.push({ id, size: (await (await ask(baseUrl, "GET", `/v1/programs/${id}`, token)).text()).length });
  }
  return sized.sort((a, b) => b.size - a.size).map(({ id }) => id);
}

async function recorded(baseUrl: string, plan: Plan, token: string): Promise<Exchange> {
  const { name, title, path, method = "GET" } = plan;
  const answer = await ask(baseUrl, method, path, token, `example-${name}`);
  const headers = [...answer.headers].filter(([header]) => !transport.includes(header));
  return {
    ...{ name, title, method, path, token: plan.token, status: answer.status },
    headers: Object.fromEntries(headers.map(([header, value]) => [headerName(header), value])),
    body: await answer.json(),
  };
}

function ask(
  baseUrl: string,
  method: string,
  path: string,
  token: string,
  requestId?: string,
): Promise<Response> {
  return fetch(baseUrl + path, {
    method,
    headers: {
      "accept-encoding": "identity",
      ...(token !== "" && { authorization: `Bearer ${token}` }),
      ...(requestId !== undefined && { "x-request-id": requestId }),
    },
  });
}

/** As the gateway writes it; `fetch` gives names in lower case. */
function headerName(name: string): string {
  const special: Readonly<Record<string, string>> = {
    "www-authenticate": "WWW-Authenticate",
    ratelimit: "RateLimit",
    "ratelimit-policy": "RateLimit-Policy",
  };
  return special[name] ?? name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
