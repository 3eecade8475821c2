// @ts-check
// Packs the package, installs it into an empty folder, and runs both programs from there as somebody who has
// nothing but that: another user (when this one is root), on files that nobody may write. Needs the npm
// registry and no other network.
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

  // The demo builds, and asks a gateway.
  const printed = await run("partner-programs", ["demo", "--check"]);
  say(printed.trimEnd().split("\n").at(-1) ?? "");
  // The demo does not start the gateway by its name.
  const refused = await run("partner-programs-gateway", [], { STORE_URL: "nowhere" }, 2);
  if (refused !== "") throw new Error(`The gateway printed ${refused}`);
  if (treeText() !== before) throw new Error("The programs have changed files of their package.");
}

/**
 * @param {string} program @param {readonly string[]} args @param {NodeJS.ProcessEnv} [settings] @param {number} [status]
 */
async function run(program, args, settings = {}, status = 0) {
  const path = program === "node" ? process.execPath : join(prefix, "node_modules", ".bin", program);
  const child = spawn(path, args, {
    cwd: prefix,
    env: { ...env, ...settings },
    stdio: ["ignore", "pipe", "inherit"],
    ...account,
  });
  const [parts, [ended]] = await Promise.all([child.stdout.toArray(), once(child, "close")]);
  const text = Buffer.concat(parts).toString();
  if (ended !== status) throw new Error(`${program} ${args.join(" ")} ended with ${ended}:\n${text}`);
  say(`${program} ${args.slice(0, 2).join(" ")}: ok`);
  return text;
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
