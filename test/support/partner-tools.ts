import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder whose `node_modules` holds the tools of `test/partner-tools/package.json`. */
export type ToolFolder = string;

/** What a tool left behind. */
export interface ToolResult {
  readonly status: number;
  /** Standard output and standard error. */
  readonly output: string;
}

const manifestFolder = fileURLToPath(new URL("../partner-tools/", import.meta.url));
const cacheFolder = fileURLToPath(new URL("../../node_modules/.cache/partner-tools/", import.meta.url));
const installDeadlineMs = 540_000;
/** Ends one that hangs, before the test that runs it is ended. */
const toolDeadlineMs = 270_000;
const pollMs = 200;

/**
 * Installs the tools unless that was done before, and returns their folder. They are many and large, so that
 * only the tests that run them wait for them. Throws when the registry cannot be reached: a suite that skips
 * proves nothing.
 */
export async function installedTools(): Promise<ToolFolder> {
  const lock = readFileSync(join(manifestFolder, "package-lock.json"));
  const digest = createHash("sha256").update(lock).digest("hex").slice(0, 16);
  const folder = join(cacheFolder, digest);
  const claim = `${folder}.pid`;
  await mkdir(cacheFolder, { recursive: true });
  while (!existsSync(folder)) {
    if (await claimed(claim)) {
      await install(folder).finally(() => rm(claim, { force: true }));
    } else {
      // Another worker of the run installs them.
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }
  return folder;
}

/** Whether this process may install: nobody else is at it who still lives. */
async function claimed(claim: string): Promise<boolean> {
  try {
    await writeFile(claim, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    const pid = Number(await readFile(claim, "utf8").catch(() => ""));
    if (pid > 0 && !isAlive(pid)) await rm(claim, { force: true });
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function install(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  const made = await mkdtemp(`${folder}-`);
  for (const name of ["package.json", "package-lock.json"])
    await cp(join(manifestFolder, name), join(made, name));
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { status, output } = await run("npm", args, made, installDeadlineMs);
  if (status !== 0) {
    await rm(made, { recursive: true, force: true });
    throw new Error(
      `The tools of test/partner-tools could not be installed; these tests need the npm registry.\n${output}`,
    );
  }
  await rename(made, folder);
}

/** Runs a tool of the folder by the name of its command. */
export function runTool(
  tools: ToolFolder,
  command: string,
  args: readonly string[],
  directory: string,
): Promise<ToolResult> {
  return run(join(tools, "node_modules/.bin", command), args, directory, toolDeadlineMs);
}

/** Runs a program to its end, whatever that is. */
export function run(
  program: string,
  args: readonly string[],
  cwd: string,
  timeout: number = toolDeadlineMs,
): Promise<ToolResult> {
  const env = {
    ...process.env,
    NO_COLOR: "1",
    CI: "true",
    SCARF_ANALYTICS: "false",
    REDOCLY_TELEMETRY: "off",
  };
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env, timeout, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}${error === null || error.code !== undefined ? "" : error.message}`;
      resolve({ status: error === null ? 0 : Number(error.code ?? 1) || 1, output });
    });
  });
}

/** A folder to generate into, in which imports find the tools' packages. */
export async function workFolder(tools: ToolFolder): Promise<string> {
  const folder = await mkdtemp(join(tools, "work-"));
  // A generator writes for the zod that it finds here.
  const manifest = { private: true, dependencies: { zod: "^4.0.0" } };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  return folder;
}
