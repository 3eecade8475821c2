// `npm run demo`: from a booking database to a partner's answer, with the programs that operators run.
// `npm run demo -- --check` does the same, then exits: 0 if every answer was as expected.
import { resolve } from "node:path";
import { withEmbeddedPostgres } from "../cli/database/start-embedded-postgres.ts";
import { heading, indented, say, sayExchange } from "./demo/narration.ts";
import { freePort, type RunningGateway, runCli, startGateway } from "./demo/programs.ts";
import { makeRequests } from "./demo/requests.ts";

const isCheck = process.argv.includes("--check");
const dataDir = resolve(process.env.DATA_DIR ?? "data");
const env = demoEnvironment();
const tokenName = "demo";

await demonstrate();

async function demonstrate(): Promise<void> {
  say("partner-programs: tour programs for partners, precomputed.");
  const [tenant, stranger] = await publish();

  heading(3, `A token for ${tenant}, printed this once`);
  await revokeEarlierTokens();
  const token = await createToken(tenant);
  const narrowToken = await createToken(tenant, "--rate-limit", "1");
  const strangerToken = await createToken(stranger);
  say(indented(token));

  heading(4, "The gateway serves the files; the database is stopped, nobody needs it");
  const gateway = await startGateway({
    ...env,
    PORT: String(isCheck ? 0 : await freePort(8080)),
    ADMIN_PORT: String(isCheck ? 0 : await freePort(9090)),
    LOG_LEVEL: "warn",
  });
  say(indented(gateway.baseUrl));

  heading(5, "What partners get");
  const exchanges = await makeRequests({ baseUrl: gateway.baseUrl, token, narrowToken, strangerToken });
  exchanges.forEach(sayExchange);
  const faults = exchanges.filter(({ fault }) => fault !== undefined).length;

  if (!isCheck) await serveUntilInterrupted(gateway, token, exchanges[1]?.path ?? "/v1/programs");
  else gateway.stop();
  const status = await gateway.ended;
  say(
    `\n${exchanges.length - faults} of ${exchanges.length} answers as expected; the gateway ended with ${status}.`,
  );
  process.exitCode = faults === 0 && status === 0 ? 0 : 1;
}

/** Fills the database and builds the snapshots; gives the first two tenants by id. */
async function publish(): Promise<readonly [string, string]> {
  return await withEmbeddedPostgres(dataDir, {}, async () => {
    heading(1, `A booking database: PostgreSQL under ${dataDir}/postgres, with sample data`);
    await runCli(["source", "init"], env);
    say(indented(await runCli(["source", "seed"], env)));

    heading(2, `Snapshots, validated and published under ${dataDir}/store`);
    const report = JSON.parse(await runCli(["snapshot", "build", "--json"], env)) as Report;
    for (const { tenantId, outcome, counts } of report.tenants) {
      say(
        indented(
          `${tenantId.padEnd(20)} ${String(counts.programs).padStart(3)} programs ${outcome}, ${counts.notPublishable} not publishable`,
        ),
      );
    }
    const { warnings } = report.totals;
    say(
      indented(
        `${report.durationMs} ms; ${warnings} faults of the data dropped by rule and reported (--report)`,
      ),
    );
    const [first, second] = report.tenants.map(({ tenantId }) => tenantId);
    if (first === undefined || second === undefined)
      throw new Error("The sample data has fewer than two tenants.");
    return [first, second];
  });
}

async function createToken(tenant: string, ...options: readonly string[]): Promise<string> {
  const args = ["token", "create", "--tenant", tenant, "--name", tokenName, ...options];
  return (await runCli(args, env)).trim();
}

/** Each run has tokens of its own; those of earlier runs end. */
async function revokeEarlierTokens(): Promise<void> {
  const tokens = JSON.parse(await runCli(["token", "list", "--json"], env)) as readonly Token[];
  const earlier = tokens.filter(({ name, status }) => name === tokenName && status === "active");
  if (earlier.length > 0) await runCli(["token", "revoke", ...earlier.map(({ tokenId }) => tokenId)], env);
}

async function serveUntilInterrupted(
  gateway: RunningGateway,
  token: string,
  detailPath: string,
): Promise<void> {
  say("\nTry it yourself:\n");
  say(indented(`TOKEN=${token}`));
  say(indented(`curl -s -H "Authorization: Bearer $TOKEN" ${gateway.baseUrl}/v1/programs`));
  say(indented(`curl -s -H "Authorization: Bearer $TOKEN" ${gateway.baseUrl}${detailPath}`));
  say(indented(`curl -si ${gateway.baseUrl}/v1/programs`));
  say("\nAnd in another terminal: npx partner-programs snapshot status\n\nCtrl-C ends the demo.");
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, gateway.stop);
  await gateway.ended;
}

/** The defaults under DATA_DIR, whatever this shell is set up for: a demo must never touch a real database or store. */
function demoEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, LANG, TZ, SystemRoot } = process.env;
  return { PATH, HOME, TMPDIR, LANG, TZ, SystemRoot, DATA_DIR: dataDir, LOG_LEVEL: "warn" };
}

interface Report {
  readonly durationMs: number;
  readonly totals: { readonly warnings: number };
  readonly tenants: readonly {
    readonly tenantId: string;
    readonly outcome: string;
    readonly counts: { readonly programs: number; readonly notPublishable: number };
  }[];
}

interface Token {
  readonly tokenId: string;
  readonly name: string | null;
  readonly status: string;
}
