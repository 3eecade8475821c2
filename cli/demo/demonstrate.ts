import { lstat, mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { Failure, interrupted } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import type { RunReport } from "../../schemas/generated/types.ts";
import { withEmbeddedPostgres } from "../database/start-embedded-postgres.ts";
import { demoMark } from "../database/with-database-url.ts";
import type { Shell } from "../shell/shell.ts";
import { createNarration, type Narration } from "./narration.ts";
import { cliPath, freePort, runCli, startGateway } from "./programs.ts";
import { makeRequests } from "./requests.ts";

interface DemoOptions {
  /** The folder for the demo's database and store, which stay there after the demo. */
  readonly dataDir: string;
  /** Whether to end after the requests, instead of serving until the signal. */
  readonly isCheck: boolean;
}

/** What all steps of the demonstration share. */
interface Stage extends DemoOptions {
  readonly narration: Narration;
  readonly signal: AbortSignal;
  /** The environment of the programs that the demo runs: without this shell's settings, so that it touches no real data (P120). */
  readonly env: NodeJS.ProcessEnv;
  /** Runs a command of `partner-programs` as an operator would, and returns its output. */
  readonly run: (...args: readonly string[]) => Promise<string>;
}

/** The name of the demo's tokens. */
const tokenName = "demo";

/**
 * Shows the whole way from a booking database to a partner's answer:
 *
 * 1. It fills an embedded PostgreSQL with sample data (`booking/`).
 * 2. It builds the snapshots of all tenants.
 * 3. It issues tokens.
 * 4. It starts the gateway. The database is stopped by then.
 * 5. It makes a partner's requests (`requests.ts`) and prints the answers.
 *
 * Each step runs the command that an operator would run, in a process of its own (`programs.ts`). Returns whether every answer
 * was as expected.
 */
export async function demonstrate(
  { dataDir, isCheck }: DemoOptions,
  shell: Pick<Shell, "stdout" | "env" | "signal">,
): Promise<boolean> {
  const { signal } = shell;
  const { PATH, HOME, TMPDIR, LANG, TZ, SystemRoot, TOKEN_MAX_LIFETIME } = shell.env;
  const kept = { PATH, HOME, TMPDIR, LANG, TZ, SystemRoot, TOKEN_MAX_LIFETIME };
  const env = { ...kept, DATA_DIR: dataDir, LOG_LEVEL: "warn" };
  const run = (...args: readonly string[]): Promise<string> => runCli(args, env, signal);
  await claimDemoFolder(dataDir);
  try {
    return await perform({ dataDir, isCheck, narration: createNarration(shell), signal, env, run });
  } catch (error) {
    // After the signal, any failure is a consequence of it.
    throw signal.aborted ? interrupted("The demo") : error;
  }
}

async function perform(stage: Stage): Promise<boolean> {
  const { narration, env, signal, isCheck, run } = stage;
  narration.say("partner-programs: tour programs for partners, precomputed.");
  const [tenant, stranger] = await publish(stage);

  narration.heading(3, `A token for ${tenant}, printed this once`);
  await revokeEarlierTokens(run);
  const createToken = async (of: string, ...options: readonly string[]): Promise<string> =>
    (await run("token", "create", "--tenant", of, "--name", tokenName, ...options)).trim();
  const token = await createToken(tenant);
  const narrowToken = await createToken(tenant, "--rate-limit", "1");
  const strangerToken = await createToken(stranger);
  narration.detail(token, token);

  narration.heading(4, "The gateway serves the files; the database is stopped, nobody needs it");
  const [port, adminPort] = isCheck ? [0, 0] : [await freePort(8080), await freePort(9090)];
  const gateway = await startGateway({ ...env, PORT: `${port}`, ADMIN_PORT: `${adminPort}` }, signal);
  try {
    const { baseUrl } = gateway;
    narration.detail(baseUrl);
    narration.heading(5, "What partners get");
    const exchanges = await makeRequests({ baseUrl, token, narrowToken, strangerToken });
    exchanges.forEach(narration.exchange);
    if (!isCheck) {
      invite(narration, baseUrl, token, exchanges[1]?.path ?? "");
      await gateway.ended;
    }
    gateway.stop();
    const status = await gateway.ended;
    const met = exchanges.filter(({ fault }) => fault === undefined).length;
    narration.say(`\n${met} of ${exchanges.length} answers as expected; the gateway ended with ${status}.`);
    return met === exchanges.length && status === 0;
  } finally {
    gateway.stop();
  }
}

/** Fills the database and builds the snapshots. Returns the ids of the first two tenants. */
async function publish({ dataDir, narration, run }: Stage): Promise<readonly [string, string]> {
  return await withEmbeddedPostgres(dataDir, {}, async () => {
    const place = printable(dataDir);
    narration.heading(1, `A booking database: PostgreSQL under ${place}/postgres, with sample data`);
    await run("source", "init");
    narration.detail((await run("source", "seed")).trimEnd());

    narration.heading(2, `Snapshots, validated and published under ${place}/store`);
    const report = JSON.parse(await run("snapshot", "build", "--json")) as RunReport;
    for (const { tenantId, outcome, counts } of report.tenants) {
      const programs = `${String(counts.programs).padStart(3)} programs ${outcome}`;
      narration.detail(`${tenantId.padEnd(20)} ${programs}, ${counts.notPublishable} not publishable`);
    }
    const { warnings } = report.totals;
    narration.detail(
      `${report.durationMs} ms; ${warnings} faults of the data dropped by rule and reported (--report)`,
    );
    const [first, second] = report.tenants.map(({ tenantId }) => tenantId);
    if (first === undefined || second === undefined)
      throw new Error("The sample data has fewer than two tenants.");
    return [first, second];
  });
}

/** Each run issues tokens of its own and revokes those of earlier runs. */
async function revokeEarlierTokens(run: Stage["run"]): Promise<void> {
  const tokens = JSON.parse(await run("token", "list", "--json")) as readonly {
    readonly tokenId: string;
    readonly name: string | null;
    readonly status: string;
  }[];
  const earlier = tokens.filter(({ name, status }) => name === tokenName && status === "active");
  if (earlier.length > 0) await run("token", "revoke", ...earlier.map(({ tokenId }) => tokenId));
}

/** Prints requests to try. */
function invite(narration: Narration, baseUrl: string, token: string, programPath: string): void {
  narration.say("\nTry it yourself:\n");
  narration.detail(`TOKEN=${token}`, token);
  narration.detail(`curl -s -H "Authorization: Bearer $TOKEN" ${baseUrl}/v1/programs`);
  narration.detail(`curl -s -H "Authorization: Bearer $TOKEN" ${baseUrl}${programPath}`);
  narration.detail(`curl -si ${baseUrl}/v1/programs`);
  narration.say(`\nAnd in another terminal, in this folder: node ${relative("", cliPath)} snapshot status`);
  narration.say("\nCtrl-C ends the demo.");
}

const markText =
  "`partner-programs demo` keeps its database and its store here. Remove the folder when you need it no more.\n";

/**
 * Marks the folder as the demo's own, unless it is marked already (P120). Throws `usage` when it holds a database or a
 * store that no demo made, because the sample data would be published beside somebody's tenants.
 */
async function claimDemoFolder(dataDir: string): Promise<void> {
  if (await exists(join(dataDir, demoMark))) return;
  for (const name of ["postgres", "store"]) {
    if (!(await exists(join(dataDir, name)))) continue;
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
  } catch (cause) {
    throw new Failure(
      "usage",
      `The demo can't keep its data in ${dataDir} (${cause instanceof Error ? cause.message : "unknown"}). ` +
        "Name a folder that may be written to with DATA_DIR, or run the demo somewhere else.",
      { cause },
    );
  }
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
