// `bash scripts/ceph-s3.sh run npm run bench:cold [-- --rounds N --details N]`: details that no cache holds, each asked for
// once, of a gateway that has just started and of one whose code V8 has compiled; nginx in front of the same bucket is the
// yardstick where it is installed. Rounds are interleaved; figures are medians. The bucket becomes readable by anybody.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { PutBucketPolicyCommand, S3Client } from "@aws-sdk/client-s3";
import { runCli } from "../../cli/demo/programs.ts";
import { parseTenantId } from "../../core/ids.ts";
import { snapshotPrefix } from "../../core/object-key.ts";
import { openStore } from "../../core/open-store.ts";
import { startNginx } from "./nginx-proxy.ts";
import { type OnceEach, onceEach } from "./once-each.ts";
import { median, reportBench } from "./report.ts";
import { type BenchServer, startServer } from "./servers.ts";
import { publishTenant } from "./synthetic-tenant.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, details: { type: "string", default: "500" } },
});
const connections = 8;
const cold = Number(values.details);
/** After so many parts, each of as many requests as are measured, the gateway's code counts as compiled. */
const warmingParts = 8;
const { TEST_S3_ENDPOINT: endpoint, TEST_S3_BUCKET: bucket } = process.env;
if (endpoint === undefined || bucket === undefined) {
  throw new Error("Give it a store: bash scripts/ceph-s3.sh run npm run bench:cold");
}
const prefix = `bench-cold-${Date.now()}/`;
const env = { ...process.env, STORE_URL: `s3://${bucket}/${prefix}`, S3_FORCE_PATH_STYLE: "true" };
const tenant = parseTenantId("cold");
const ids = Array.from({ length: cold * (warmingParts + 1) }, (_, at) => `program-${at}`);

const address = { kind: "s3", bucket, prefix } as const;
const store = await openStore({ address, forcePathStyle: true, timeoutMs: 10_000 });
const details = new Map(ids.map((id) => [id, detailOf(id)]));
const snapshot = await publishTenant(store, tenant, Buffer.from('{"data":[],"meta":{"count":0}}'), details);
await makeReadable(bucket);
const token = (await runCli(["token", "create", "--tenant", tenant], env)).trim();
const headers = { Authorization: `Bearer ${token}` };
const paths = ids.map((id) => `/v1/programs/${id}`);

type Part = OnceEach & { readonly cpuMs: number; readonly memoryMb: number };
const results = new Map<string, Part[]>();
for (let round = 0; round < Number(values.rounds); round += 1) {
  const sides = [gatewayRound, nginxRound];
  for (const side of round % 2 === 0 ? sides : sides.reverse()) await side();
}
await store.close();
reportBench("cold", rows());

async function gatewayRound(): Promise<void> {
  const gateway = await startServer("gateway/main.js", {
    ...awsEnvironment(),
    STORE_URL: env.STORE_URL,
    S3_FORCE_PATH_STYLE: "true",
    PORT: "0",
    ADMIN_PORT: "off",
    RATE_LIMIT_REQUESTS: "1000000000",
    LOG_LEVEL: "warn",
  });
  // This request makes the gateway read the manifest, since only bodies are to be measured.
  await fetch(`${gateway.url}/v1/programs/unknown`, { headers });
  await measured("gateway", gateway);
}

async function nginxRound(): Promise<void> {
  const path = `/${bucket}/${prefix}${snapshotPrefix(tenant, snapshot)}v1/programs/`;
  const nginx = await startNginx(new URL(endpoint ?? ""), path);
  if (nginx === undefined) console.error("no nginx here: no yardstick");
  else await measured("nginx", nginx);
}

async function measured(name: string, server: BenchServer): Promise<void> {
  try {
    await part(`${name} just started`, server, paths.slice(0, cold));
    await onceEach(server.url, headers, paths.slice(cold, -cold), connections);
    await part(`${name} compiled`, server, paths.slice(-cold));
  } finally {
    await server.stop();
  }
}

async function part(title: string, server: BenchServer, asked: readonly string[]): Promise<void> {
  const before = server.cpuMicros();
  const result = await onceEach(server.url, headers, asked, connections);
  const cpuMs = (server.cpuMicros() - before) / 1000 / asked.length;
  results.set(title, [...(results.get(title) ?? []), { ...result, cpuMs, memoryMb: memoryMb(server.pid) }]);
}

function rows(): Record<string, string | number>[] {
  return [...results].map(([title, parts]) => {
    const of = (pick: (part: Part) => number, digits: number): number =>
      Number(median(parts.map(pick)).toFixed(digits));
    const yardstick = results.get(title.replace("gateway", "nginx"));
    const ratio = (pick: (part: Part) => number): number | string =>
      yardstick === undefined
        ? "-"
        : Number(median(parts.map((part, at) => pick(part) / pick(yardstick[at] ?? part))).toFixed(2));
    return {
      case: title,
      "requests/s": of((part) => part.requestsPerSecond, 0),
      "of nginx": ratio((part) => part.requestsPerSecond),
      "p50 ms": of((part) => part.p50Ms, 1),
      "p99 ms": of((part) => part.p99Ms, 1),
      "p99 of nginx": ratio((part) => part.p99Ms),
      "cpu ms": of((part) => part.cpuMs, 2),
      "memory MB": of((part) => part.memoryMb, 0),
    };
  });
}

/** Details as large as real ones, and all different. */
function detailOf(id: string): Buffer {
  return Buffer.from(JSON.stringify({ data: { id, name: randomBytes(1100).toString("hex") } }));
}

async function makeReadable(name: string): Promise<void> {
  const client = new S3Client({ forcePathStyle: true, ...(endpoint === undefined ? {} : { endpoint }) });
  const statement = {
    Effect: "Allow",
    Principal: "*",
    Action: ["s3:GetObject"],
    Resource: [`arn:aws:s3:::${name}/*`],
  };
  const Policy = JSON.stringify({ Version: "2012-10-17", Statement: [statement] });
  await client.send(new PutBucketPolicyCommand({ Bucket: name, Policy }));
  client.destroy();
}

function awsEnvironment(): Record<string, string> {
  const pairs = Object.entries(process.env).filter(([name]) => name.startsWith("AWS_"));
  return Object.fromEntries(pairs.map(([name, value]) => [name, value ?? ""]));
}

function memoryMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}
