import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type CommandResult, runCommand } from "./command-line.ts";
import { openPlainSource } from "./plain-source.ts";
import { createTestDatabase } from "./postgres.ts";
import type { Bucket } from "./s3-server.ts";
import { type LoggedRequest, type S3Server, startS3Server, testBucket } from "./s3-server.ts";

/** Two companies whose programs all carry the version of the source in their names. */
export interface CrashStage {
  readonly server: S3Server;
  /** Changes every program in the source. */
  setVersion(version: number): Promise<void>;
  /** A build in a process of its own, the real command line. */
  startBuild(): BuildProcess;
  /** A command in this process. */
  run(...args: readonly string[]): Promise<CommandResult>;
  close(): Promise<void>;
}

export interface BuildProcess {
  readonly child: ChildProcess;
  /** Exit status, or the signal that ended it; with what it wrote to standard error. */
  readonly ended: Promise<{ readonly how: number | string; readonly stderr: string }>;
}

export const stageTenants = ["atlas", "kinneret"];
const programIds = ["one", "two"];

export async function openCrashStage(): Promise<CrashStage> {
  const server = await startS3Server();
  const database = await createTestDatabase({ isEmpty: true });
  const source = await openPlainSource(database.url);
  for (const tenant_id of stageTenants) {
    await source.insert("tenants", { tenant_id, name: tenant_id });
    for (const program_id of programIds) {
      const program = {
        tenant_id,
        program_id,
        name: "Version 0",
        lifecycle_state: "active",
        capacity_total: 9,
      };
      await source.insert("programs", program);
    }
  }
  const env = {
    ...server.env,
    DATABASE_URL: database.url,
    STORE_URL: `s3://${testBucket}`,
    LOG_LEVEL: "silent",
    NO_COLOR: "1",
  };
  return {
    server,
    setVersion: (version) =>
      source.query("UPDATE partner_source.programs SET name = $1", [`Version ${version}`]),
    startBuild: () => startBuild({ ...env, PATH: process.env.PATH }),
    run: (...args) => runCommand(args, { env }),
    async close() {
      await source.close();
      await database.drop();
      await server.close();
    },
  };
}

function startBuild(env: Readonly<Record<string, string | undefined>>): BuildProcess {
  const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
  const child = spawn(process.execPath, [main, "snapshot", "build", "--concurrency", "1"], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = once(child, "close").then(([code, signal]) => ({ how: code ?? signal, stderr }));
  return { child, ended };
}

/** Whether a request is about a tenant or the store's identity; the others (probes, the run report) are the same for every build. */
export function isPublishing({ key }: LoggedRequest): boolean {
  return key.startsWith("tenants/") || key === "store.json";
}

/** The version that partners of the tenant see, `undefined` before the first publication. Throws unless it is whole. */
export function liveVersion(objects: Bucket, tenant: string): number | undefined {
  const pointer = objects.get(`tenants/${tenant}/current.json`);
  if (pointer === undefined) return undefined;
  const { snapshotId, manifestSha256 } = JSON.parse(pointer.bytes.toString());
  const manifest = JSON.parse(
    content(objects, `tenants/${tenant}/snapshots/${snapshotId}/manifest.json`, manifestSha256),
  );
  const entries = [manifest.list, manifest.legacy, ...Object.values<Entry>(manifest.programs)];
  const texts = entries.map(({ key, sha256 }) => content(objects, key, sha256));
  const versions = new Set(
    texts.flatMap((text) => [...text.matchAll(/Version (\d+)/g)].map(([, found]) => found)),
  );
  const [version, ...others] = versions;
  if (version === undefined || others.length > 0)
    throw new Error(`${tenant} shows versions ${[...versions]}`);
  return Number(version);
}

interface Entry {
  readonly key: string;
  readonly sha256: string;
}

function content(objects: Bucket, key: string, sha256: string): string {
  const bytes = objects.get(key)?.bytes;
  if (bytes === undefined) throw new Error(`${key} is live and missing`);
  if (createHash("sha256").update(bytes).digest("hex") !== sha256) throw new Error(`${key} is damaged`);
  return bytes.toString();
}
