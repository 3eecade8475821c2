import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { withSourcePool } from "../../../cli/database/connect.ts";
import { listenForChanges } from "../../../cli/publish/watch/notifications.ts";
import { createLogger } from "../../../core/process/logger.ts";
import { forAllTests } from "../../support/lasting.ts";
import { patience } from "../../support/patience.ts";
import { createTestDatabase } from "../../support/postgres.ts";
import { startTcpProxy, type TcpProxy } from "../../support/tcp-proxy.ts";

const database = forAllTests(() => createTestDatabase({ isEmpty: true }));
let proxy: TcpProxy;
beforeAll(async () => {
  proxy = await startTcpProxy(database.url);
});
afterAll(async () => {
  await proxy.refuse();
});

test("P192: a session that goes silent without an end is found, and the next one hears everything", async () => {
  const heard: string[] = [];
  const readings: Promise<unknown>[] = [];
  const stop = new AbortController();
  const { signal } = stop;
  const listening = withSourcePool({ databaseUrl: proxy.url, connections: 2, signal }, async (pool) => {
    await listenForChanges({
      ...{ databaseUrl: proxy.url, pool, signal },
      events: {
        onChange: (tenantId) => void heard.push(tenantId ?? "all"),
        onListening: (isListening) => {
          heard.push(isListening ? "listening" : "deaf");
          // A build that follows finds no session that went silent with the listening one.
          if (isListening) readings.push(pool.withReading((client) => client.query("SELECT 1")));
        },
      },
      logger: createLogger({ level: "silent", program: "partner-programs", destination: process.stderr }),
      pauses: { proveMs: 50, hearMs: 5000, reconnectMs: 10 },
    });
  });
  await vi.waitFor(() => expect(heard).toEqual(["listening"]), patience);
  await database.query("NOTIFY partner_source_changed, 'acme'");
  await vi.waitFor(() => expect(heard).toEqual(["listening", "acme"]), patience);
  proxy.silence();
  await database.query("NOTIFY partner_source_changed, 'lost'");
  await vi.waitFor(() => expect(heard).toEqual(["listening", "acme", "deaf", "listening"]), patience);
  await database.query("NOTIFY partner_source_changed, 'beta T-1'; NOTIFY partner_source_changed");
  await vi.waitFor(() => expect(heard.slice(4)).toEqual(["beta", "all"]), patience);
  await Promise.all(readings);
  stop.abort();
  await listening;
});
