// @ts-check
// Packs the package, installs it into an empty folder, and runs both programs from there as somebody who has nothing but
// that: another user (when this one is root), on files that nobody may write. Needs the npm registry and no other network.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";

const root = join(import.meta.dirname, "..");
const work = mkdtempSync(join(tmpdir(), "packed-run-"));
const prefix = join(work, "prefix");
const own = join(work, "own");
const isRoot = process.getuid?.() === 0;
const account = isRoot ? { uid: idOf("-u"), gid: idOf("-g") } : {};
const env = {
  PATH: [dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
  HOME: own,
  TMPDIR: own,
  DATA_DIR: join(own, "data"),
  LOG_LEVEL: "warn",
};

try {
  await packedRun();
} finally {
  execFileSync("chmod", ["-R", "u+w", work]);
  rmSync(work, { recursive: true, force: true });
}

async function packedRun() {
  chmodSync(work, 0o755);
  // This file stands for one whose source is gone. `npm pack` builds anew, so it must not be packed.
  mkdirSync(join(root, "dist", "cli"), { recursive: true });
  writeFileSync(join(root, "dist", "cli", "left-over.js"), "");
  tool("npm", ["pack", "--silent", "--pack-destination", work], root);
  const [tarball = ""] = readdirSync(work).filter((name) => name.endsWith(".tgz"));

  mkdirSync(prefix);
  writeFileSync(join(prefix, "package.json"), '{ "private": true }\n');
  tool("npm", ["install", "--silent", "--no-audit", "--no-fund", join(work, tarball)], prefix);
  const installed = join(prefix, "node_modules", "partner-programs");
  if (existsSync(join(installed, "dist", "cli", "left-over.js")))
    throw new Error("dist/ was packed with leftovers");
  execFileSync("chmod", ["-R", "a+rX,a-w", prefix]);
  const before = treeText();
  mkdirSync(own);
  if (account.uid !== undefined) chownSync(own, account.uid, account.gid);
  say(`${tarball} installed; from here on as user ${account.uid ?? process.getuid?.()}`);

  await run("partner-programs", ["--version"]);
  JSON.parse(await run("partner-programs", ["openapi"]));
  const partner = ["--company", "Tours", "--contact", "api@example.com", "--base-url", "https://example.com"];
  await run("partner-programs", ["docs", "export", ...partner, "--out", join(own, "partner")]);
  await run("node", ["--input-type=module", "-e", 'await import("partner-programs/client")']);

  await run("partner-programs", ["source", "init"]);
  await run("partner-programs", ["source", "seed", "--tenants", "1", "--programs", "20"]);
  await run("partner-programs", ["snapshot", "build"]);
  const [tenant] = JSON.parse(await run("partner-programs", ["snapshot", "status", "--json"])).tenants;
  await askGateway((await run("partner-programs", ["token", "create", "--tenant", tenant.tenantId])).trim());

  const printed = await run("partner-programs", ["demo", "--check"], { ...env, DATA_DIR: join(own, "demo") });
  say(printed.trimEnd().split("\n").at(-1) ?? "");
  if (treeText() !== before) throw new Error("The programs have changed files of their package.");
}

/** @param {string} token */
async function askGateway(token) {
  const gateway = start("partner-programs-gateway", [], {
    ...env,
    LOG_LEVEL: "info",
    PORT: "0",
    ADMIN_PORT: "0",
  });
  const ended = once(gateway, "close");
  try {
    for await (const line of createInterface({ input: gateway.stdout })) {
      const { api } = JSON.parse(line);
      if (typeof api !== "string") continue;
      const answer = await fetch(`${api}/v1/programs`, { headers: { authorization: `Bearer ${token}` } });
      const { meta } = /** @type {{ meta?: { count?: number } }} */ (await answer.json());
      say(`the gateway answers ${answer.status} with ${meta?.count} programs`);
      if (answer.status !== 200 || !(Number(meta?.count) > 0))
        throw new Error("The gateway's answer is wrong.");
      break;
    }
  } finally {
    gateway.kill("SIGTERM");
  }
  const [status] = await ended;
  if (status !== 0) throw new Error(`partner-programs-gateway ended with ${status}`);
}

/** @param {string} program @param {readonly string[]} args @param {NodeJS.ProcessEnv} [programEnv] */
async function run(program, args, programEnv = env) {
  const child = start(program, args, programEnv);
  const parts = await Promise.all([child.stdout.toArray(), once(child, "close")]);
  const text = Buffer.concat(parts[0]).toString();
  if (parts[1][0] !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${parts[1][0]}:\n${text}`);
  say(`${program} ${args.slice(0, 2).join(" ")}: ok`);
  return text;
}

/** @param {string} program @param {readonly string[]} args @param {NodeJS.ProcessEnv} programEnv */
function start(program, args, programEnv) {
  const path = program === "node" ? process.execPath : join(prefix, "node_modules", ".bin", program);
  const stdio = /** @type {["ignore", "pipe", "inherit"]} */ (["ignore", "pipe", "inherit"]);
  return spawn(path, args, { cwd: prefix, env: programEnv, stdio, ...account });
}

/** @param {string} name @param {readonly string[]} args @param {string} cwd */
function tool(name, args, cwd) {
  execFileSync(name, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
}

/** @param {string} option */
function idOf(option) {
  return Number(execFileSync("id", [option, "nobody"], { encoding: "utf8" }));
}

/** Every file with its size and the time of its last change. */
function treeText() {
  return execFileSync(
    "find",
    [prefix, "-type", "f", "-exec", "ls", "-ln", "--time-style=full-iso", "{}", "+"],
    {
      encoding: "utf8",
      maxBuffer: 64 * 1024 ** 2,
    },
  );
}

/** @param {string} text */
function say(text) {
  console.log(`packed run, ${Math.round(performance.now() / 1000)} s: ${text}`);
}
