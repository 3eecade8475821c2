import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "../../core/process/logger.ts";
import { parseSettings } from "../../core/process/setting-parser.ts";
import { type GatewaySettings, gatewaySettings } from "../../core/process/settings.ts";
import { createFileStore } from "../../core/store/file-store/file-store.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";
import type { Clocks } from "../../gateway/clocks.ts";
import { Gateway, type GatewayOptions } from "../../gateway/gateway.ts";
import type { StoreReader } from "../../gateway/known/store-reader.ts";
import { createClient, eventually } from "./gateway-client.ts";
import { type PublishedSnapshot, publishSnapshot, type SnapshotContent } from "./gateway-snapshots.ts";
import { createTokenFile, type IssuedToken, type TokenFile } from "./gateway-tokens.ts";

/** A gateway in this process, listening on free ports, over a `file:` store. */
export type GatewayFixture = Awaited<ReturnType<typeof startGateway>>;

export type LogLine = Readonly<Record<string, unknown>>;

export interface FixtureOptions {
  /** Of a store that is there already, and stays. */
  readonly directory?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Runs before the gateway starts: puts snapshots and tokens into the store. */
  readonly fill?: (store: ObjectStore, tokens: TokenFile) => Promise<void>;
  /** What the gateway sees of the store, for faults. */
  readonly seen?: (store: ObjectStore) => StoreReader;
  /** The same for the token registry alone; as `seen` when left out. */
  readonly seenTokens?: (store: ObjectStore) => StoreReader;
  readonly clocks?: Clocks;
  readonly lastGoodFolder?: string;
  readonly waits?: GatewayOptions["waits"];
}

/** Fills a store with these tokens, and a snapshot of the tenant `acme`. */
export const filledWith =
  (tokens: readonly IssuedToken[], content: Partial<SnapshotContent> = {}) =>
  async (store: ObjectStore, file: TokenFile): Promise<void> => {
    await file.write(tokens);
    await publishSnapshot(store, "acme", { programIds: ["p1"], ...content });
  };

export async function startGateway(options: FixtureOptions = {}) {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), "gateway-test-")));
  const store = createFileStore({ directory });
  const tokens = createTokenFile(store);
  await options.fill?.(store, tokens);
  const lines: string[] = [];
  const log: LogLine[] = [];
  const destination = {
    write(line: string) {
      lines.push(line);
      log.push(JSON.parse(line));
    },
  };
  const seen = options.seen ?? ((whole: ObjectStore): StoreReader => whole);
  const seenStore = seen(store);
  const gateway = new Gateway({
    settings: testSettings(options.env ?? {}),
    store: seenStore,
    documentStore: seenStore,
    tokenStore: (options.seenTokens ?? seen)(store),
    program: "test",
    logger: createLogger({ level: "debug", program: "test", destination }),
    destination,
    lastGoodFolder: options.lastGoodFolder,
    ...(options.waits === undefined ? {} : { waits: options.waits }),
    ...(options.clocks === undefined ? {} : { clocks: options.clocks }),
  });
  const addresses = await gateway.start();
  const client = createClient(addresses.api);
  const metrics = async (): Promise<string> => (await fetch(`${addresses.admin}/metrics`)).text();
  return {
    directory,
    store,
    tokens,
    gateway,
    api: addresses.api,
    admin: addresses.admin ?? "",
    client,
    /** Everything logged so far, one object per line. */
    log: log as readonly LogLine[],
    /** The log as it was written, for canaries. */
    logText: () => lines.join(""),
    /** The text of `/metrics`, and of one series in it the value. */
    metrics,
    async metric(series: string) {
      const line = (await metrics()).split("\n").find((each) => each.startsWith(`${series} `));
      return Number(line?.slice(series.length) ?? Number.NaN);
    },
    async close() {
      client.close();
      await gateway.stop();
      await store.close();
      if (options.directory === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}

/**
 * Resolves when the gateway answers from the snapshot. Whoever asks while the store is slow gets the one
 * before for a while, however often the gateway asks for a new one.
 */
export async function untilServed(
  { api }: GatewayFixture,
  { snapshotId }: PublishedSnapshot,
  { plaintext }: IssuedToken,
): Promise<void> {
  const headers = { authorization: `Bearer ${plaintext}` };
  const served = async (): Promise<string | null> => {
    const answer = await fetch(`${api}/v1/programs`, { headers });
    await answer.arrayBuffer();
    return answer.headers.get("snapshot-id");
  };
  await eventually(served, (id) => id === snapshotId);
}

/**
 * Settings as the process would have them, on free ports, with short intervals and much patience with the
 * store.
 */
export function testSettings(env: Readonly<Record<string, string>>): GatewaySettings {
  const parsed = parseSettings(gatewaySettings, {
    PORT: "0",
    ADMIN_PORT: "0",
    TOKEN_REFRESH_MS: "50",
    SNAPSHOT_REFRESH_MS: "50",
    SHUTDOWN_GRACE_SECONDS: "1",
    STORE_TIMEOUT_MS: "20000",
    ...env,
  });
  if (!parsed.ok) throw new Error(parsed.faults.join("; "));
  return parsed.values;
}
