import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileStore } from "../../core/store/file-store/file-store.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";
import { startGatewayProcess } from "./gateway-process.ts";
import { createTokenFile, type TokenFile } from "./gateway-tokens.ts";

/** Several gateway processes over one `file:` store. */
export type GatewayFleet = Awaited<ReturnType<typeof startFleet>>;

export async function startFleet(options: {
  readonly size: number;
  readonly env?: Readonly<Record<string, string>>;
  /** How many files each may have open. */
  readonly openFiles?: number;
  readonly fill: (store: ObjectStore, tokens: TokenFile) => Promise<void>;
}) {
  const directory = await mkdtemp(join(tmpdir(), "gateway-fleet-"));
  const store = createFileStore({ directory });
  const tokens = createTokenFile(store);
  await options.fill(store, tokens);
  const env = { STORE_URL: `file:${directory}`, ...options.env };
  const { size, openFiles } = options;
  const gateways = await Promise.all(Array.from({ length: size }, () => startGatewayProcess(env, openFiles)));
  return {
    directory,
    store,
    tokens,
    gateways,
    async close() {
      for (const gateway of gateways) gateway.signal("SIGKILL");
      await Promise.all(gateways.map(({ ended }) => ended));
      await rm(directory, { recursive: true, force: true });
    },
  };
}
