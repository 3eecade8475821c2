import { lstat, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure, interrupted } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import type { RunReport } from "../../schemas/generated/types.ts";
import { withEmbeddedPostgres } from "../database/start-embedded-postgres.ts";
import { demoMark } from "../database/with-database-url.ts";
import type { Shell } from "../shell/shell.ts";
import { createNarration, type Narration } from "./narration.ts";
import { freePort, type RunningGateway, runCli, startGateway } from "./programs.ts";
import { makeRequests } from "./requests.ts";

interface DemoOptions {
  /** The folder for the demo's database and store, which stay there after the demo. */
  readonly dataDir: string;
  /** Whether to end after the requests, instead of serving until the signal. */
  readonly isCheck: boolean;
}

/** The context that all steps of the demonstration share. */
interface Stage {
  readonly dataDir: string;
  readonly narration: Narration;
  readonly signal: AbortSignal;
  /** The environment of the programs that the demo runs. */
  readonly env: NodeJS.ProcessEnv;
}

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
  const stage: Stage = {
    dataDir,
    narration: createNarration(shell),
    signal: shell.signal,
    env: programEnvironment(shell.env, dataDir),
  };
  await claimDemoFolder(dataDir);
  try {
    return await perform(stage, isCheck);
  } catch (error) {
    // After the signal, any failure is a consequence of it.
    throw stage.signal.aborted ? interrupted("The demo") : error;
  }
}

async function perform(stage: Stage, isCheck: boolean): Promise<boolean> {
  const { narration, env, signal } = stage;
  narration.say("partner-programs: tour programs for partners, precomputed.");
  const [tenant, stranger] = await publish(stage);

  narration.heading(3, `A token for ${tenant}, printed this once`);
  await revokeEarlierTokens(stage);
  const token = await createToken(stage, tenant);
  const narrowToken = await createToken(stage, tenant, "--rate-limit", "1");
  const strangerToken = await createToken(stage, stranger);
  narration.token(token, token);

  narration.heading(4, "The gateway serves the files; the database is stopped, nobody needs it");
  const ports = isCheck ? [0, 0] : [await freePort(8080), await freePort(9090)];
  const gateway = await startGateway(
    { ...env, PORT: String(ports[0]), ADMIN_PORT: String(ports[1]) },
    signal,
  );
  try {
    narration.detail(gateway.baseUrl);
    narration.heading(5, "What partners get");
    const { baseUrl } = gateway;
    const exchanges = await makeRequests({ baseUrl, token, narrowToken, strangerToken });
    exchanges.forEach(narration.exchange);
    if (!isCheck) await serve(gateway, token, exchanges[1]?.path ?? "/v1/programs", narration);
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
async function publish({ dataDir, narration, env, signal }: Stage): Promise<readonly [string, string]> {
  return await withEmbeddedPostgres(dataDir, {}, async () => {
    const place = printable(dataDir);
    narration.heading(1, `A booking database: PostgreSQL under ${place}/postgres, with sample data`);
    await runCli(["source", "init"], env, signal);
    narration.detail((await runCli(["source", "seed"], env, signal)).trimEnd());

    narration.heading(2, `Snapshots, validated and published under ${place}/store`);
    const report = JSON.parse(await runCli(["snapshot", "build", "--json"], env, signal)) as RunReport;
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

async function createToken(
  { env, signal }: Stage,
  tenant: string,
  ...options: readonly string[]
): Promise<string> {
  const args = ["token", "create", "--tenant", tenant, "--name", tokenName, ...options];
  return (await runCli(args, env, signal)).trim();
}

/** Each run issues tokens of its own and revokes those of earlier runs. */
async function revokeEarlierTokens({ env, signal }: Stage): Promise<void> {
  const tokens = JSON.parse(await runCli(["token", "list", "--json"], env, signal)) as readonly Token[];
  const earlier = tokens.filter(({ name, status }) => name === tokenName && status === "active");
  const ids = earlier.map(({ tokenId }) => tokenId);
  if (ids.length > 0) await runCli(["token", "revoke", ...ids], env, signal);
}

/** Prints requests to try, and waits until the signal stops the gateway. */
async function serve(
  gateway: RunningGateway,
  token: string,
  detailPath: string,
  narration: Narration,
): Promise<void> {
  const { baseUrl, ended } = gateway;
  narration.say("\nTry it yourself:\n");
  narration.token(`TOKEN=${token}`, token);
  narration.detail(`curl -s -H "Authorization: Bearer $TOKEN" ${baseUrl}/v1/programs`);
  narration.detail(`curl -s -H "Authorization: Bearer $TOKEN" ${baseUrl}${detailPath}`);
  narration.detail(`curl -si ${baseUrl}/v1/programs`);
  narration.say("\nAnd in another terminal: npx partner-programs snapshot status\n\nCtrl-C ends the demo.");
  await ended;
}

/** An environment without this shell's settings, so that the demo never touches a real database or store (P120). */
function programEnvironment(env: Shell["env"], dataDir: string): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, LANG, TZ, SystemRoot, TOKEN_MAX_LIFETIME } = env;
  const kept = { PATH, HOME, TMPDIR, LANG, TZ, SystemRoot, TOKEN_MAX_LIFETIME };
  return { ...kept, DATA_DIR: dataDir, LOG_LEVEL: "warn" };
}

interface Token {
  readonly tokenId: string;
  readonly name: string | null;
  readonly status: string;
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
