import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import { createS3Store } from "../../core/s3-store/s3-store.ts";
import { beginTestStore } from "./begun-store.ts";
import { freePort } from "./free-port.ts";
import { patience } from "./patience.ts";
import { runCli, startCli } from "./run-cli.ts";
import { type S3Server, startS3Server, testBucket } from "./s3-server.ts";
import type { Workbench } from "./workbench.ts";

/** A part in a process of its own that a test can end and start again at the same place. */
export interface Part {
  start(): Promise<void>;
  /** As a crash does. */
  kill(): Promise<void>;
}

/**
 * What operators watch, with a cause for every alert within reach: a store that goes wrong on demand, a Redis, a gateway that
 * logs into a pipe, the pipe's reader, `snapshot watch`, and scheduled builds with their metrics file.
 */
export interface WatchedFleet {
  readonly directory: string;
  readonly s3: S3Server;
  readonly gateway: Part;
  readonly logReader: Part;
  readonly redis: Part | undefined;
  readonly watch: Part;
  readonly api: string;
  /** `host:port` of the listeners with metrics; the last gives the metrics file, as node_exporter would. */
  readonly targets: { readonly gateway: string; readonly watch: string; readonly file: string };
  /** Runs a command over the fleet's source and store. */
  run(...args: readonly string[]): Promise<string>;
  buildOnSchedule(): Promise<void>;
  /** As on schedule, but to a place where no store is. */
  buildElsewhere(): Promise<void>;
  close(): Promise<void>;
}

export async function startWatchedFleet(bench: Workbench, hasRedis: boolean): Promise<WatchedFleet> {
  const directory = await mkdtemp(join(tmpdir(), "watched-fleet-"));
  const s3 = await startS3Server();
  const [api, admin, watchAdmin, redisPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  // What a new installation raises would still be there in the tests.
  const bucket = { bucket: testBucket, prefix: "", forcePathStyle: true, timeoutMs: 5000 };
  const store = createS3Store({ ...bucket, connection: s3.connection });
  await beginTestStore(store);
  await store.close();
  const env = { DATABASE_URL: bench.database.url, STORE_URL: `s3://${testBucket}`, ...s3.env };

  const pipe = join(directory, "log");
  execFileSync("mkfifo", [pipe]);
  // Opened for writing, too: it does not end with the gateway.
  const logReader = part(() => spawn("sh", ["-c", 'exec cat <> "$0"', pipe], { stdio: "ignore" }));
  const gatewayScript = fileURLToPath(new URL("../../dist/gateway/main.js", import.meta.url));
  const gateway = part(
    () =>
      // The shell waits for the pipe's reader, and becomes the gateway.
      spawn("sh", ["-c", 'exec "$0" "$1" > "$2"', process.execPath, gatewayScript, pipe], {
        stdio: "ignore",
        env: {
          PATH: process.env.PATH,
          ...env,
          ...(hasRedis ? { REDIS_URL: `redis://127.0.0.1:${redisPort}` } : {}),
          PORT: String(api),
          ADMIN_PORT: String(admin),
          TOKEN_MAX_STALE_SECONDS: "8",
          STORE_TIMEOUT_MS: "3000",
          CACHE_MAX_MB: "1",
        },
      }),
    async () => (await fetch(`http://127.0.0.1:${admin}/readyz`)).status === 200,
  );
  const redis = hasRedis
    ? part(() =>
        spawn(
          "redis-server",
          ["--port", String(redisPort), "--bind", "127.0.0.1", "--save", "", "--dir", directory],
          {
            stdio: "ignore",
          },
        ),
      )
    : undefined;
  const watch = part(
    () =>
      startCli(["snapshot", "watch", "--interval", "1", "--concurrency", "2"], {
        env: { ...env, WATCH_ADMIN_PORT: String(watchAdmin) },
      }).child,
    async () => (await fetch(`http://127.0.0.1:${watchAdmin}/readyz`)).status === 200,
  );

  const metricsFile = join(directory, "builder.prom");
  const exporter = createServer((_request, response) => {
    readFile(metricsFile, "utf8").then(
      (text) => response.setHeader("Content-Type", "text/plain; version=0.0.4").end(text),
      () => response.writeHead(500).end(),
    );
  });
  exporter.listen(0, "127.0.0.1");
  await once(exporter, "listening");

  const runWith = async (more: Readonly<Record<string, string>>, ...args: readonly string[]) => {
    const { status, stdout, stderr } = await runCli(args, { env: { ...env, ...more } });
    if (status !== 0) throw new Error(`${args.join(" ")}: ${status}, ${stderr}`);
    return stdout;
  };
  const build = ["snapshot", "build", "--metrics-file", metricsFile];
  return {
    directory,
    s3,
    gateway,
    logReader,
    redis,
    watch,
    api: `http://127.0.0.1:${api}`,
    targets: {
      gateway: `127.0.0.1:${admin}`,
      watch: `127.0.0.1:${watchAdmin}`,
      file: `127.0.0.1:${(exporter.address() as AddressInfo).port}`,
    },
    run: (...args) => runWith({}, ...args),
    async buildOnSchedule() {
      await runWith({}, ...build);
    },
    async buildElsewhere() {
      await runWith({ STORE_URL: `s3://${testBucket}/elsewhere` }, ...build);
    },
    async close() {
      await Promise.all([gateway, watch, redis, logReader].map((each) => each?.kill()));
      exporter.closeAllConnections();
      exporter.close();
      await s3.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function part(begin: () => ChildProcess, isUp: () => Promise<boolean> = async () => true): Part {
  let child: ChildProcess | undefined;
  return {
    async start() {
      child = begin();
      await vi.waitFor(async () => {
        if (!(await isUp())) throw new Error("a part of the fleet is not ready");
      }, patience);
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const closed = once(child, "exit");
      child.kill("SIGKILL");
      await closed;
    },
  };
}
