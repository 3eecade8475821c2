// `bash scripts/ceph-s3.sh run npm run bench:publication [-- --rounds N --delay-ms N --per-second N]`: what a publication of 1% of 1,000 hot
// programs costs those who ask for 1,000 details a second: answers slower than 20 ms in the 5 s after it.
// The 5 s before it tell what the machine does by itself.
import { parseTenantId } from "../../core/ids.ts";
import { benchOptions } from "./bench-options.ts";
import { startDistantStore } from "./distant-store.ts";
import { onceEach } from "./once-each.ts";
import { median, type Row, reportBench } from "./report.ts";
import { openBucket } from "./s3-bucket.ts";
import { startGateway } from "./servers.ts";
import { type SteadyAnswer, steadyLoad } from "./steady-load.ts";
import { detailOf, prepareTenant } from "./synthetic-tenant.ts";
import { tokenHeaders } from "./token-headers.ts";

const values = benchOptions({ rounds: "3", "delay-ms": "30", "per-second": "1000" });
const programs = 1000;
const changed = programs / 100;
const perSecond = Number(values["per-second"]);
const calmSeconds = 7;
const afterSeconds = 5;
const slowMs = 20;
const tenant = parseTenantId("hot");
const ids = Array.from({ length: programs }, (_, at) => `program-${at}`);
const list = Buffer.from('{"data":[],"meta":{"count":0}}');

const results: { readonly before: Part; readonly after: Part }[] = [];
for (let round = 0; round < Number(values.rounds); round += 1) results.push(await measuredRound());
reportBench("publication", rows());

interface Part {
  /** Answers slower than `slowMs`: for programs that the publication changes, and for the others. */
  readonly slowChanged: number;
  readonly slowOthers: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

async function measuredRound(): Promise<{ readonly before: Part; readonly after: Part }> {
  const { endpoint, store, env } = await openBucket("publication", 30_000);
  const distant = await startDistantStore(endpoint, Number(values["delay-ms"]));
  const details = new Map(ids.map((id) => [id, detailOf(id)]));
  await (await prepareTenant(store, tenant, { generation: 1, list, details })).goLive();
  for (const id of ids.slice(0, changed)) details.set(id, detailOf(id));
  const next = await prepareTenant(store, tenant, { generation: 2, list, details });
  const headers = await tokenHeaders(tenant, env);
  const gateway = await startGateway({
    ...env,
    AWS_ENDPOINT_URL_S3: distant.url,
    LOG_LEVEL: "warn",
  });
  try {
    const paths = ids.map((id) => `/v1/programs/${id}`);
    await onceEach(gateway.url, headers, paths, 8);
    const seconds = calmSeconds + afterSeconds + 2;
    const beganAt = performance.now();
    const load = { perSecond, seconds, connections: 64, path: (at: number) => paths[at % programs] ?? "" };
    const answers = steadyLoad(gateway.url, headers, load);
    await new Promise((resolve) => setTimeout(resolve, calmSeconds * 1000));
    const liveAt = performance.now();
    await next.goLive();
    const all = await answers;
    // V8 compiles during the first two seconds.
    const before = part(all, beganAt + 2000, liveAt);
    return { before, after: part(all, liveAt, liveAt + afterSeconds * 1000) };
  } finally {
    await gateway.stop();
    distant.close();
    await store.close();
  }
}

function part(answers: readonly SteadyAnswer[], fromMs: number, toMs: number): Part {
  const within = answers.filter(({ dueMs }) => dueMs >= fromMs && dueMs < toMs);
  const times = within.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const share = (of: number): number => times[Math.floor((times.length - 1) * of)] ?? Number.NaN;
  const slow = within.filter(({ tookMs }) => tookMs > slowMs);
  const slowChanged = slow.filter(({ at }) => at % programs < changed).length;
  return { slowChanged, slowOthers: slow.length - slowChanged, p99Ms: share(0.99), maxMs: share(1) };
}

function rows(): Row[] {
  return (["before", "after"] as const).map((when) => {
    const of = (pick: (part: Part) => number): number =>
      Number(median(results.map((round) => pick(round[when]))).toFixed(1));
    return {
      case: `5 s ${when}`,
      "slow, of the changed": results.map((round) => round[when].slowChanged).join(", "),
      "slow, of the others": results.map((round) => round[when].slowOthers).join(", "),
      "p99 ms": of(({ p99Ms }) => p99Ms),
      "max ms": of(({ maxMs }) => maxMs),
    };
  });
}
