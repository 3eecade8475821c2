// `npm run bench:documents`: what grows with the number of programs and tokens: reading a manifest of 100,000 programs, confirming
// and swapping a registry of 10,000 and 100,000 tokens, and starting a gateway with 10,000.
import { randomBytes } from "node:crypto";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { issueToken } from "../../cli/operate/tokens/issue-token.ts";
import { createFileStore } from "../../core/file-store/file-store.ts";
import { parseProgramId, parseTenantId, snapshotId } from "../../core/ids.ts";
import { type Manifest, manifestText } from "../../core/manifest.ts";
import { bytesBody, readBody, sha256Hex } from "../../core/object-body.ts";
import { manifestKey, responseKey, tokensKey } from "../../core/object-key.ts";
import { ProgramTable } from "../../core/program-table.ts";
import { readManifest } from "../../core/read-manifest.ts";
import { parseTokenRegistry, tokenRegistryBytes } from "../../core/token-registry.ts";
import { tokenTable } from "../../gateway/token-table.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { memoryMb } from "./process-figures.ts";
import { median, type Row, reportBench } from "./report.ts";
import { startGateway } from "./servers.ts";

const rounds = 7;
const folder = temporaryFolder("bench");
const store = createFileStore({ directory: folder });
const tenantId = parseTenantId("bench");
const terms = { tenantId, name: "Partner", scopes: ["programs.read"], expiresAt: null, rateLimit: null };

reportBench("documents", [
  await manifestRow(1000),
  await manifestRow(100_000),
  await registryRow(100),
  await registryRow(100_000),
  await registryRow(10_000),
  await gatewayRow(),
]);

async function manifestRow(programs: number): Promise<Row> {
  const manifest = syntheticManifest(programs);
  const body = bytesBody(Buffer.from([...manifestText(manifest)].join("")));
  const key = manifestKey(tenantId, manifest.snapshotId);
  await store.put(key, body);
  const expected = { tenantId, snapshotId: manifest.snapshotId, manifestSha256: body.sha256 };
  return await measured(`manifest of ${programs} programs`, body.size, async () => {
    const found = await store.get(key);
    if (found.kind === "object") await readManifest(found.body, expected);
  });
}

async function registryRow(count: number): Promise<Row> {
  const tokens = Array.from({ length: count }, () => issueToken(terms, null, new Date(), randomBytes).entry);
  const body = bytesBody(tokenRegistryBytes({ revision: 1, tokens }));
  const { kind, ...stored } = { etag: "", ...(await store.put(tokensKey, body)) };
  const confirmed = await measured("", body.size, async () => {
    const answer = await store.get(tokensKey, { ifNoneMatch: stored.etag });
    if (kind !== "stored" || answer.kind !== "not_modified") throw new Error("the registry is not confirmed");
  });
  const swapped = await measured(`registry of ${count} tokens`, body.size, async () => {
    const found = await store.get(tokensKey);
    if (found.kind !== "object") return;
    tokenTable(await parseTokenRegistry(await readBody(found, body.size, tokensKey)), 600);
  });
  return { ...swapped, "unchanged poll ms": confirmed.ms ?? "-" };
}

/** A gateway that starts with the registry of the row before. The 401 for an unknown token says that the registry was read. */
async function gatewayRow(): Promise<Row> {
  const gateway = await startGateway({ STORE_URL: `file:${folder}` });
  try {
    const { plaintext } = issueToken(terms, null, new Date(), randomBytes);
    const headers = { Authorization: `Bearer ${plaintext}` };
    while ((await fetch(`${gateway.url}/v1/programs`, { headers })).status !== 401) await delay(10);
    return {
      case: "gateway, started with 10000 tokens",
      "processor s": gateway.cpuMicros() / 1e6,
      "resident MB": Math.round(memoryMb(gateway.pid)),
    };
  } finally {
    await gateway.stop();
  }
}

/** Median time, and the longest that the event loop was kept from other requests meanwhile. */
async function measured(title: string, bytes: number, work: () => Promise<void>): Promise<Row> {
  const times: number[] = [];
  const blocked: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const loop = monitorEventLoopDelay({ resolution: 1 });
    loop.enable();
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
    loop.disable();
    blocked.push(loop.max / 1e6);
  }
  return {
    case: title,
    MB: Number((bytes / 1e6).toFixed(2)),
    ms: Number(median(times).toFixed(1)),
    "event loop blocked ms": Number(median(blocked).toFixed(1)),
  };
}

function syntheticManifest(count: number): Manifest {
  const now = new Date();
  const snapshot = snapshotId(now, randomBytes(4));
  const programs = new ProgramTable();
  for (let number = 0; number < count; number += 1) {
    const id = parseProgramId(`BENCH-2027-${String(number).padStart(6, "0")}`);
    programs.add(id, { snapshotId: snapshot, sha256: sha256Hex(Buffer.from(id)), size: 3000 });
  }
  const entry = (kind: "list" | "legacy"): Manifest["list"] => ({
    key: responseKey(tenantId, snapshot, { kind }),
    sha256: sha256Hex(Buffer.from(kind)),
    size: 100,
  });
  const generatedAt = now.toISOString();
  const { list, legacy } = { list: entry("list"), legacy: entry("legacy") };
  return {
    tenantId,
    generation: 1,
    snapshotId: snapshot,
    parent: null,
    generatedAt,
    contract: sha256Hex(Buffer.alloc(0)),
    list,
    legacy,
    programs,
  };
}
