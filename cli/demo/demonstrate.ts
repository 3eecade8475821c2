import { lstat, mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { Failure, interrupted } from "../../core/ground/failure.ts";
import { printable } from "../../core/ground/printable.ts";
import type { RunReport } from "../../schemas/generated/types.ts";
import { withEmbeddedPostgres } from "../database/start-embedded-postgres.ts";
import { demoMark } from "../database/with-database-url.ts";
import { styleOf } from "../output/layout.ts";
import { placeFailure } from "../shell/place-failure.ts";
import type { Shell } from "../shell/shell.ts";
import { cliPath, runCli, startGateway } from "./programs.ts";
import { exchangeText, indented, makeRequests } from "./requests.ts";

interface DemoOptions {
  /** The folder for the demo's database and store, which stay there after the demo. */
  readonly dataDir: string;
  /** Whether to end after the requests, instead of serving until the signal. */
  readonly isCheck: boolean;
}

/**
 * Shows the whole way from a booking database to a partner's answer. Each step runs the command that an
 * operator would run, in a process of its own, with nothing of this shell's settings. Returns whether every
 * answer was as expected.
 */
export async function demonstrate(
  options: DemoOptions,
  shell: Pick<Shell, "stdout" | "env" | "signal">,
): Promise<boolean> {
  await claimDemoFolder(options.dataDir);
  try {
    return await perform(stageOf(options, shell));
  } catch (error) {
    // After the signal, any failure is a consequence of it.
    throw shell.signal.aborted ? interrupted("The demo") : error;
  }
}

type Stage = ReturnType<typeof stageOf>;

/** What all steps of the demonstration share. */
function stageOf(options: DemoOptions, { stdout, env, signal }: Pick<Shell, "stdout" | "env" | "signal">) {
  // P120: the programs that the demo runs get none of this shell's settings, so that they touch no real data.
  const { PATH, HOME, TMPDIR, LANG, TZ, SystemRoot, TOKEN_MAX_LIFETIME } = env;
  const kept = { PATH, HOME, TMPDIR, LANG, TZ, SystemRoot, TOKEN_MAX_LIFETIME };
  const own: NodeJS.ProcessEnv = { ...kept, DATA_DIR: options.dataDir, LOG_LEVEL: "warn" };
  const style = styleOf(stdout, env);
  return {
    ...options,
    stdout,
    style,
    signal,
    env: own,
    /** Runs a command of `partner-programs` as an operator would, and returns its output. */
    run: (...args: readonly string[]) => runCli(args, own, signal),
    heading: (step: number, text: string) => stdout.write(`\n${style.bold(`${step}. ${text}`)}\n`),
    /** `token`: the one that the text may show, since tokens of the demo are of no use to anybody else. */
    say: (text: string, token?: string) =>
      stdout.write(`${indented(text)}\n`, token === undefined ? [] : [token]),
  };
}

async function perform(stage: Stage): Promise<boolean> {
  const { stdout, style, heading, say, env, signal, isCheck, run } = stage;
  stdout.write("partner-programs: tour programs for partners, precomputed.\n");
  const [tenant, stranger] = await publish(stage);

  heading(3, `A token for ${tenant}, printed this once`);
  const createToken = async (of: string, ...options: readonly string[]): Promise<string> =>
    (await run("token", "create", "--tenant", of, "--name", "demo", ...options)).trim();
  const token = await createToken(tenant);
  const narrowToken = await createToken(tenant, "--rate-limit", "1");
  const strangerToken = await createToken(stranger);
  say(token, token);

  heading(4, "The gateway serves the files; the database is stopped, nobody needs it");
  // Free ports: the usual ones may be those of a real gateway.
  const gateway = await startGateway({ ...env, PORT: "0", ADMIN_PORT: "0" }, signal);
  try {
    const { baseUrl } = gateway;
    say(baseUrl);
    heading(5, "What partners get");
    const exchanges = await makeRequests({ baseUrl, token, narrowToken, strangerToken });
    for (const exchange of exchanges) stdout.write(exchangeText(exchange, style));
    if (!isCheck) {
      invite(stage, baseUrl, token, exchanges[1]?.path ?? "");
      await gateway.ended;
    }
    gateway.stop();
    const status = await gateway.ended;
    const met = exchanges.filter(({ fault }) => fault === undefined).length;
    stdout.write(`\n${met} of ${exchanges.length} answers as expected; the gateway ended with ${status}.\n`);
    return met === exchanges.length && status === 0;
  } finally {
    gateway.stop();
  }
}

/** Fills the database and builds the snapshots. Returns the ids of the first two tenants. */
async function publish({ dataDir, heading, say, run }: Stage): Promise<readonly [string, string]> {
  return await withEmbeddedPostgres(dataDir, async () => {
    const place = printable(dataDir);
    heading(1, `A booking database: PostgreSQL under ${place}/postgres, with sample data`);
    await run("source", "init");
    say((await run("source", "seed")).trimEnd());

    heading(2, `Snapshots, validated and published under ${place}/store`);
    const { tenants, totals, durationMs } = JSON.parse(await run("snapshot", "build", "--json")) as RunReport;
    for (const { tenantId, outcome, counts } of tenants) {
      const programs = `${String(counts.programs).padStart(3)} programs ${outcome}`;
      say(`${tenantId.padEnd(20)} ${programs}, ${counts.notPublishable} not publishable`);
    }
    say(`${durationMs} ms; ${totals.warnings} faults of the data dropped by rule and reported (--report)`);
    const [first, second] = tenants.map(({ tenantId }) => tenantId);
    if (first === undefined || second === undefined)
      throw new Error("The sample data has fewer than two tenants.");
    return [first, second];
  });
}

/** Prints requests to try. */
function invite({ stdout, say }: Stage, baseUrl: string, token: string, programPath: string): void {
  stdout.write("\nTry it yourself:\n\n");
  say(`TOKEN=${token}`, token);
  say(`curl -s -H "Authorization: Bearer $TOKEN" ${baseUrl}/v1/programs`);
  say(`curl -s -H "Authorization: Bearer $TOKEN" ${baseUrl}${programPath}`);
  say(`curl -si ${baseUrl}/v1/programs`);
  const status = `node ${relative("", cliPath)} snapshot status`;
  stdout.write(`\nAnd in another terminal, in this folder: ${status}\n\nCtrl-C ends the demo.\n`);
}

const markText =
  "`partner-programs demo` keeps its database and its store here. Remove the folder when you need it no more.\n";

/** P120: marks the folder as the demo's own. Throws `usage` for a database or store that no demo made. */
async function claimDemoFolder(dataDir: string): Promise<void> {
  const exists = async (name: string): Promise<boolean> =>
    (await lstat(join(dataDir, name)).catch(() => undefined)) !== undefined;
  if (await exists(demoMark)) return;
  for (const name of ["postgres", "store"]) {
    if (!(await exists(name))) continue;
    throw new Failure(
      "usage",
      `${join(dataDir, name)} was not made by a demo; nothing was done. ` +
        "Name an empty folder with DATA_DIR, or run the demo somewhere else.",
    );
  }
  try {
    await mkdir(dataDir, { recursive: true });
    // The mark is written first, so that a demo that was killed can be repeated.
    await writeFile(join(dataDir, demoMark), markText);
  } catch (error) {
    const advice = "Name a folder that may be written to with DATA_DIR, or run the demo somewhere else.";
    throw placeFailure(error, `The demo's folder ${dataDir}`, advice);
  }
}
