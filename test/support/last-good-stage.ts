import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileStore } from "../../core/store/file-store/file-store.ts";
import { lastGoodFolder } from "../../gateway/known/mirror-folder.ts";
import { type Answer, createClient, eventually } from "./gateway-client.ts";
import { faultyStore } from "./gateway-faulty-store.ts";
import { type FixtureOptions, type GatewayFixture, startGateway } from "./gateway-fixture.ts";
import { type GatewayProcess, startGatewayProcess } from "./gateway-process.ts";
import { createTokenFile } from "./gateway-tokens.ts";
import { startS3Server, testBucket } from "./s3-server.ts";
import { startTcpProxy } from "./tcp-proxy.ts";

/**
 * An S3 server that a gateway reaches only by way of a hop that the test can interrupt, and a folder for its
 * copy.
 */
export async function openLastGoodStage() {
  const server = await startS3Server();
  const hop = await startTcpProxy(server.endpoint);
  const directory = await mkdtemp(join(tmpdir(), "last-good-test-"));
  const store = server.openStore();
  const running = new Set<GatewayProcess>();
  return {
    store,
    tokens: createTokenFile(store),
    hop,
    directory,
    async start(env: Readonly<Record<string, string>> = {}) {
      const gateway = await startGatewayProcess({
        ...server.env,
        AWS_ENDPOINT_URL_S3: hop.url,
        STORE_URL: `s3://${testBucket}`,
        STORE_TIMEOUT_MS: "1000",
        TOKEN_REFRESH_MS: "50",
        SNAPSHOT_REFRESH_MS: "50",
        LAST_GOOD_DIR: directory,
        ...env,
      });
      running.add(gateway);
      void gateway.ended.then(() => running.delete(gateway));
      return gateway;
    },
    async close() {
      for (const gateway of running) {
        gateway.signal("SIGKILL");
        await gateway.ended;
      }
      await hop.refuse();
      await store.close();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Gateways in this process, over one store that can be broken and one folder for the last good copy. */
export async function openLastGoodDesk() {
  const root = await mkdtemp(join(tmpdir(), "last-good-test-"));
  const store = createFileStore({ directory: join(root, "store") });
  const seen = faultyStore(store);
  const running: GatewayFixture[] = [];
  const desk = {
    root,
    folder: await lastGoodFolder(join(root, "kept"), "test"),
    store,
    tokens: createTokenFile(store),
    seen,
    async start(options: FixtureOptions = {}): Promise<GatewayFixture> {
      const gateway = await startGateway({ seen: () => seen, lastGoodFolder: desk.folder, ...options });
      running.push(gateway);
      return gateway;
    },
    /** Status and body of both lists and of the detail `p1`. */
    async serve({ api }: GatewayFixture, token: string) {
      const paths = ["/v1/programs", "/api/v1/partner/programs", "/v1/programs/p1"];
      const answers = await Promise.all(paths.map((path) => ask(api, path, token)));
      return answers.map(({ status, body }) => ({ status, text: body.toString() }));
    },
    async close() {
      for (const gateway of running) await gateway.close();
      await store.close();
      await rm(root, { recursive: true, force: true });
    },
  };
  return desk;
}

export async function ask(origin: string, path: string, token: string): Promise<Answer> {
  const client = createClient(origin);
  try {
    return await client.get(path, token);
  } finally {
    client.close();
  }
}

/** Every file below the folder. */
export async function filesBelow(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** What a gateway has to leave behind, so that the next one can do without the store. */
export interface KeptCopy {
  /** Of the registry. */
  readonly revision: number;
  /** Of the tenant `acme`. */
  readonly generation: number;
  /** The registry, manifests and bodies in all. */
  readonly files: number;
}

/** The files below the folder that are copies of the registry, manifests and bodies. */
export async function copiesBelow(folder: string): Promise<readonly string[]> {
  const paths = await filesBelow(folder).catch(() => []);
  return paths.filter((path) => path.endsWith("auth/tokens.json") || path.includes("/snapshots/"));
}

/** Until all of it is on the disk: a gateway that ends waits for a slow disk for two seconds only. */
export async function waitForCopy(folder: string, { revision, generation, files }: KeptCopy): Promise<void> {
  await eventually(
    async () => {
      const paths = await filesBelow(folder).catch(() => []);
      const found = async (name: string): Promise<{ revision?: number; generation?: number }> => {
        const path = paths.find((one) => one.endsWith(name)) ?? "";
        return JSON.parse(await readFile(path, "utf8").catch(() => "{}"));
      };
      if ((await copiesBelow(folder)).length < files) return false;
      const [registry, pointer] = [await found("auth/tokens.json"), await found("acme/current.json")];
      return registry.revision === revision && pointer.generation === generation;
    },
    (isThere) => isThere,
  );
}
