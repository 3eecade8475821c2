import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { withAwsEnvironment } from "../../support/aws-environment.ts";
import { runCommand } from "../../support/command-line.ts";
import { forAllTests } from "../../support/lasting.ts";
import { openPlainSource } from "../../support/plain-source.ts";
import { createTestDatabase } from "../../support/postgres.ts";
import { sized } from "../../support/quick-pass.ts";
import { type Bucket, type LoggedRequest, startS3Server, testBucket } from "../../support/s3-server.ts";

/** Builds are killed and held up after every call, or after some. */
const stride = sized({ whole: 1, quick: 8 });

/** What the first build of a store says of it, or the next one when the first did not live to. */
const toldIdentity = /^partner-programs: .* STORE_ID=store_\w+ .*\n/;

const stageTenants = ["atlas", "kinneret"];
const stage = forAllTests(openStage);
withAwsEnvironment(() => stage.server.env);

test("P2 a build killed with SIGKILL after every single store call leaves every tenant whole, and the next build succeeds", {
  timeout: 900_000,
}, async () => {
  await stage.setVersion(1);
  await expectSuccess("snapshot", "build");
  expect(await killEverywhere(2)).toBeGreaterThan(2 * 8 - stride);
});

test("the same holds for the very first build of a store", { timeout: 900_000 }, async () => {
  stage.server.objects.clear();
  expect(await killEverywhere(3)).toBeGreaterThan(2 * 7 + 1 - stride);
});

/**
 * From the same objects each time, so that the k-th call is the same one in every round. Gives the last call.
 */
async function killEverywhere(version: number): Promise<number> {
  const before = new Map(stage.server.objects);
  await stage.setVersion(version);
  for (let k = 1; ; k += stride) {
    setObjects(before);
    if (!(await killAfter(k))) return k - stride;
    await expectSuccess("snapshot", "verify");
    await expectSuccess("snapshot", "build");
    // Which are whole, as after each call before.
    expect(liveVersions()).toEqual([version, version]);
  }
}

/**
 * Starts a build and kills it when the k-th call that publishes has been carried out; false when it ended
 * before.
 */
async function killAfter(k: number): Promise<boolean> {
  const build = stage.startBuild();
  let calls = 0;
  stage.server.onRequest((request) => {
    if (isPublishing(request)) calls += 1;
    // What the process is told after this, it does not live to hear.
    if (calls === k) build.child.kill("SIGKILL");
    liveVersions();
  });
  const { how, stderr } = await build.ended;
  stage.server.onRequest(undefined);
  if (how === 0) return false;
  expect([how, stderr.replace(toldIdentity, "")]).toEqual(["SIGKILL", ""]);
  return true;
}

test("P5 a builder that is held up at any of its store calls while another publishes loses or builds anew: it never wins with old data", {
  timeout: 900_000,
}, async () => {
  await stage.setVersion(1);
  await expectSuccess("snapshot", "build");
  const before = new Map(stage.server.objects);
  let k = 1;
  for (; ; k += stride) {
    setObjects(before);
    await stage.setVersion(2);
    const build = await holdAt(k);
    if (build === undefined) break;
    await stage.setVersion(3);
    stage.server.onRequest(undefined);
    await expectSuccess("snapshot", "build");

    const shown = new Set<number | undefined>();
    stage.server.onRequest(() => {
      for (const version of liveVersions()) shown.add(version);
    });
    build.goOn();
    expect(await build.ended).toMatchObject({ status: 0, stderr: "" });
    expect([shown, liveVersions()]).toEqual([new Set([3]), [3, 3]]);
    await expectSuccess("snapshot", "verify");
  }
  expect(k - stride).toBeGreaterThan(2 * 8 - stride);
});

/**
 * Begins a build and holds back the answer to its k-th call about a tenant; `undefined` when it ended before.
 */
async function holdAt(k: number) {
  let goOn = (): void => {};
  const released = new Promise<void>((resolve) => (goOn = resolve));
  let calls = 0;
  const held = new Promise<true>((resolve) => {
    stage.server.onRequest(async (request) => {
      if (!isPublishing(request)) return;
      calls += 1;
      if (calls !== k) return;
      resolve(true);
      await released;
    });
  });
  const ended = runCommand(["snapshot", "build", "--concurrency", "1"], { env: stage.env });
  const isHeld = await Promise.race([held, ended.then(() => false)]);
  return isHeld ? { ended, goOn } : undefined;
}

/** Runs a command in this process. */
async function expectSuccess(...args: readonly string[]): Promise<void> {
  const { status, stderr } = await runCommand(args, { env: stage.env });
  expect([status, stderr.replace(toldIdentity, "")]).toEqual([0, ""]);
}

function setObjects(before: Bucket): void {
  const { objects } = stage.server;
  objects.clear();
  for (const [key, object] of before) objects.set(key, object);
}

function liveVersions(): (number | undefined)[] {
  return stageTenants.map((tenant) => liveVersion(stage.server.objects, tenant));
}

interface BuildProcess {
  readonly child: ChildProcess;
  /** Exit status, or the signal that ended it; with what it wrote to standard error. */
  readonly ended: Promise<{ readonly how: number | string; readonly stderr: string }>;
}

/** Two companies whose programs all carry the version of the source in their names, and a store. */
async function openStage() {
  const server = await startS3Server();
  const database = await createTestDatabase({ isEmpty: true });
  const source = await openPlainSource(database.url);
  for (const tenant_id of stageTenants) {
    await source.insert("tenants", { tenant_id, name: tenant_id });
    const program = { tenant_id, name: "Version 0", lifecycle_state: "active", capacity_total: 9 };
    await source.insert("programs", { ...program, program_id: "one" });
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
    env,
    setVersion: (version: number) =>
      source.query("UPDATE partner_source.programs SET name = $1", [`Version ${version}`]),
    startBuild: () => startBuild({ ...env, PATH: process.env.PATH }),
    async close() {
      await source.close();
      await database.close();
      await server.close();
    },
  };
}

function startBuild(env: Readonly<Record<string, string | undefined>>): BuildProcess {
  const main = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
  const child = spawn(process.execPath, [main, "snapshot", "build", "--concurrency", "1"], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "close").then(([code, signal]) => ({ how: code ?? signal, stderr }));
  return { child, ended };
}

/**
 * Whether a request is about a tenant or the store's identity; the others (probes, the run report) are the
 * same for every build.
 */
const isPublishing = ({ key }: LoggedRequest): boolean => key.startsWith("tenants/") || key === "store.json";

/**
 * The version that partners of the tenant see, `undefined` before the first publication. Throws unless it is
 * whole.
 */
function liveVersion(objects: Bucket, tenant: string): number | undefined {
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
