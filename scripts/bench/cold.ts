// `bash scripts/ceph-s3.sh run npm run bench:cold [-- --rounds N --details N]`: details that no cache holds,
// each asked for once, of a gateway that has just started and of one whose code V8 has compiled; the store
// itself, asked for the same objects, is the yardstick. Rounds are interleaved; figures are medians. The
// bucket becomes readable by anybody.
import { PutBucketPolicyCommand, S3Client } from "@aws-sdk/client-s3";
import { withEmbeddedPostgres } from "../../cli/database/start-embedded-postgres.ts";
import type { RunReport } from "../../schemas/generated/types.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { measuredCli } from "./measured-run.ts";
import { type OnceEach, onceEach } from "./once-each.ts";
import { memoryMb } from "./process-figures.ts";
import { benchOptions, median, type Row, reportBench } from "./report.ts";
import { seedTenants } from "./seeded.ts";
import { type BenchServer, detailPaths, startGateway, tokenHeaders } from "./servers.ts";

const values = benchOptions({ rounds: "5", details: "500" });
const connections = 8;
const cold = Number(values.details);
/** After so many parts, each of as many requests as are measured, the gateway's code counts as compiled. */
const warmingParts = 8;
const { TEST_S3_ENDPOINT: endpoint, TEST_S3_BUCKET: bucket } = process.env;
if (endpoint === undefined || bucket === undefined)
  throw new Error("Give it a store: bash scripts/ceph-s3.sh run npm run bench:cold");
const prefix = `bench-cold-${Date.now()}/`;
const settings = { STORE_URL: `s3://${bucket}/${prefix}`, S3_FORCE_PATH_STYLE: "true", LOG_LEVEL: "warn" };
const env: NodeJS.ProcessEnv = { ...process.env, ...settings };
const tenant = await publishTenant();
await makeReadable();
const headers = await tokenHeaders(tenant.tenantId, env);
const paths = await publishedPaths();

type Part = OnceEach & { readonly cpuMs: number; readonly memoryMb: number };
const results = new Map<string, Part[]>();
for (let round = 0; round < Number(values.rounds); round += 1) {
  const sides = [gatewayRound, storeRound];
  for (const side of round % 2 === 0 ? sides : sides.reverse()) await side();
}
reportBench("cold", rows());

/** Publishes a tenant with more programs than a gateway is asked for. */
async function publishTenant(): Promise<{ readonly tenantId: string; readonly snapshotId: string | null }> {
  const folder = temporaryFolder("bench");
  return await withEmbeddedPostgres(folder, async (databaseUrl) => {
    const own = { ...env, DATA_DIR: folder, DATABASE_URL: databaseUrl };
    // Some seeded programs are not published.
    await seedTenants(own, databaseUrl, [cold * (warmingParts + 1) * 2]);
    const { tenants }: RunReport = JSON.parse(
      (await measuredCli(["snapshot", "build", "--json"], own)).stdout,
    );
    const [built] = tenants;
    if (built === undefined) throw new Error("no tenant was built");
    return built;
  });
}

async function publishedPaths(): Promise<readonly string[]> {
  const gateway = await startGateway(env);
  try {
    return (await detailPaths(gateway.url, headers)).slice(0, cold * (warmingParts + 1));
  } finally {
    await gateway.stop();
  }
}

async function gatewayRound(): Promise<void> {
  const gateway = await startGateway(env);
  // This request makes the gateway read the manifest, since only bodies are to be measured.
  await fetch(`${gateway.url}/v1/programs/unknown`, { headers });
  try {
    await part("gateway just started", gateway, paths.slice(0, cold));
    await onceEach(gateway.url, headers, paths.slice(cold, -cold), connections);
    await part("gateway compiled", gateway, paths.slice(-cold));
  } finally {
    await gateway.stop();
  }
}

async function storeRound(): Promise<void> {
  const folder = `/${bucket}/${prefix}tenants/${tenant.tenantId}/snapshots/${tenant.snapshotId}`;
  const objects = paths.slice(-cold).map((path) => `${folder}${path}.json`);
  const result = await onceEach(endpoint ?? "", {}, objects, connections);
  keep("store", { ...result, cpuMs: Number.NaN, memoryMb: Number.NaN });
}

async function part(title: string, server: BenchServer, asked: readonly string[]): Promise<void> {
  const before = server.cpuMicros();
  const result = await onceEach(server.url, headers, asked, connections);
  const cpuMs = (server.cpuMicros() - before) / 1000 / asked.length;
  keep(title, { ...result, cpuMs, memoryMb: memoryMb(server.pid) });
}

function keep(title: string, part: Part): void {
  results.set(title, [...(results.get(title) ?? []), part]);
}

function rows(): Row[] {
  return [...results].map(([title, parts]) => {
    const of = (pick: (part: Part) => number, digits: number): number =>
      Number(median(parts.map(pick)).toFixed(digits));
    const yardstick = results.get("store") ?? [];
    const ratio = (pick: (part: Part) => number): number =>
      Number(median(parts.map((part, at) => pick(part) / pick(yardstick[at] ?? part))).toFixed(2));
    return {
      case: title,
      "requests/s": of((part) => part.requestsPerSecond, 0),
      "of the store": ratio((part) => part.requestsPerSecond),
      "p50 ms": of((part) => part.p50Ms, 1),
      "p99 ms": of((part) => part.p99Ms, 1),
      "p99 of the store": ratio((part) => part.p99Ms),
      "cpu ms": of((part) => part.cpuMs, 2),
      "memory MB": of((part) => part.memoryMb, 0),
    };
  });
}

async function makeReadable(): Promise<void> {
  const client = new S3Client({ forcePathStyle: true });
  const allowed = { Action: ["s3:GetObject"], Resource: [`arn:aws:s3:::${bucket}/*`] };
  const statement = { Effect: "Allow", Principal: "*", ...allowed };
  const Policy = JSON.stringify({ Version: "2012-10-17", Statement: [statement] });
  await client.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy }));
  client.destroy();
}
