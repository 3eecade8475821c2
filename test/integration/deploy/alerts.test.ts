import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { testStoreId } from "../../support/begun-store.ts";
import { type GatedSource, gateSource } from "../../support/gated-source.ts";
import { createClient } from "../../support/gateway-client.ts";
import { type GatewayFixture, startGateway } from "../../support/gateway-fixture.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { patience } from "../../support/patience.ts";
import { databaseUrl, onServer } from "../../support/postgres.ts";
import { isInstalled, type Prometheus, startPrometheus } from "../../support/prometheus.ts";
import { setClocks } from "../../support/set-clocks.ts";
import { shippedAlerts, shippedRules } from "../../support/shipped-alerts.ts";
import { startWatchedFleet, type WatchedFleet } from "../../support/watched-fleet.ts";
import { openWorkbench, type Workbench } from "../../support/workbench.ts";

/**
 * The shipped rules, with nothing changed but how long things take: a test has no hour. Expressions, labels and causes are
 * those of the file.
 */
const shortened: readonly (readonly [shipped: RegExp, here: string])[] = [
  [/for: (?:30s|\d+m)$/gm, "for: 1s"],
  [/\[(?:5|15)m\]/g, "[4s]"],
  [/\[1h\]/g, "[4s]"],
  [/\[6h\]/g, "[10m]"],
  // `snapshot watch` writes down what it confirmed every ten seconds.
  [/> 3600$/gm, "> 15"],
  [/(builder_store_begun_timestamp_seconds) < 3600$/gm, "$1 < 30"],
  [/(gateway_token_registry_age_seconds) > 60$/gm, "$1 > 5"],
];
const rules = shortened.reduce((text, [from, to]) => text.replace(from, to), shippedRules);
const names = shippedAlerts.map(({ alert }) => alert);

const hasRedis = isInstalled("redis-server");
const missing = isInstalled("prometheus") ? undefined : "prometheus is not installed";
const title = `P118 the alerts, over a real fleet${missing === undefined ? "" : ` (skipped: ${missing})`}`;

describe.skipIf(missing !== undefined)(title, () => {
  let bench: Workbench;
  let fleet: WatchedFleet;
  let quotaGateway: GatewayFixture;
  let prometheus: Prometheus;
  let tokenId: string;
  let bearer: string;
  let asking: NodeJS.Timeout;
  let gate: GatedSource | undefined;
  const clocks = setClocks();
  const capped = issueToken("acme", { rateLimit: 10 });
  const told = new Set<string>();

  beforeAll(async () => {
    bench = await openWorkbench();
    await bench.source.insert("tenants", { tenant_id: "acme" }, { tenant_id: "beta" });
    await bench.insertPrograms("acme", "a");
    await bench.insertPrograms("beta", "b");
    fleet = await startWatchedFleet(bench, hasRedis);
    await fleet.buildOnSchedule();
    await bench.insertPrograms("beta", "b2");
    const token = JSON.parse(
      await fleet.run("token", "create", "--tenant", "acme", "--rate-limit", "100000", "--json"),
    );
    tokenId = token.tokenId;
    bearer = token.token;
    quotaGateway = await startGateway({
      clocks,
      async fill(store, tokens) {
        await tokens.write([capped]);
        await publishSnapshot(store, "acme", { programIds: ["p1"] });
      },
    });
    await Promise.all([
      fleet.redis?.start(),
      fleet.logReader.start(),
      fleet.gateway.start(),
      fleet.watch.start(),
    ]);
    await fleet.buildOnSchedule();
    // Somebody asks all the time, or nobody would see that answers fail.
    asking = setInterval(() => {
      const headers = { Authorization: `Bearer ${bearer}` };
      fetch(`${fleet.api}/v1/programs`, { headers })
        .then((answer) => answer.arrayBuffer())
        .catch(() => {});
    }, 100);
    const { gateway, watch, file } = fleet.targets;
    prometheus = await startPrometheus({
      directory: fleet.directory,
      rules,
      targets: {
        "partner-programs-gateway": [gateway, new URL(quotaGateway.admin).host],
        "partner-programs-builder": [watch],
        node: [file],
      },
    });
  });

  afterAll(async () => {
    clearInterval(asking);
    await prometheus?.stop();
    await quotaGateway?.close();
    await fleet?.close();
    await gate?.close();
    await bench?.close();
  });

  /** Plants the cause, waits until all of the alerts fire, mends it, and waits until they are gone. */
  async function firesFor(
    alerts: readonly string[],
    plant: () => unknown,
    mend: () => unknown,
  ): Promise<void> {
    await plant();
    try {
      await Promise.all(alerts.map((alert) => prometheus.fires(alert)));
    } finally {
      await mend();
    }
    await Promise.all(alerts.map((alert) => prometheus.rests(alert)));
    for (const alert of alerts) told.add(alert);
  }

  test("are silent while all is well, over two rounds of scrapes of everything", async () => {
    for (const [from] of shortened) expect(shippedRules).toMatch(from);
    // The scheduler's last run must not have got old while everything started.
    await fleet.buildOnSchedule();
    await vi.waitFor(async () => {
      const [up] = await prometheus.query("sum(count_over_time(up[1m]) > 3)");
      expect(up?.value).toBeGreaterThanOrEqual(4 * 4);
      expect(await prometheus.query("up == 0")).toEqual([]);
    }, patience);
    // Data that is some seconds old is old here; a machine that stands still for as long is let go on.
    const heard = () => Promise.all([prometheus.alerts("firing"), prometheus.alerts("pending")]);
    await expect.poll(heard).toEqual([[], []]);
  });

  describe("one cause each, side by side", () => {
    test.concurrent("LogLinesLost: the log's reader ends, and comes back", () =>
      firesFor(["LogLinesLost"], fleet.logReader.kill, fleet.logReader.start));

    (hasRedis ? test.concurrent : test.skip)(
      `RedisAway: it ends${hasRedis ? "" : " (skipped: redis-server is not installed)"}`,
      () =>
        firesFor(
          ["RedisAway"],
          () => fleet.redis?.kill(),
          () => fleet.redis?.start(),
        ),
    );

    test.concurrent("TokenQuotaNearlySpent: all of it within a window, and then two minutes of peace", () =>
      firesFor(
        ["TokenQuotaNearlySpent"],
        async () => {
          const client = createClient(quotaGateway.api);
          for (let nth = 1; nth <= 10; nth += 1) await client.get("/v1/programs", capped.plaintext);
          client.close();
        },
        () => clocks.advance(121_000),
      ));

    test.concurrent("TokenExpires: in three days, and then in ninety", () =>
      firesFor(
        ["TokenExpires"],
        () => fleet.run("token", "expire", tokenId, "--at", "3d"),
        () => fleet.run("token", "expire", tokenId, "--at", "90d"),
      ));

    test.concurrent("BuildPartlyDone: a program without a name", () =>
      firesFor(
        ["BuildPartlyDone"],
        () => bench.insertPrograms("acme", { program_id: "bad", name: "" }),
        () => bench.source.query("UPDATE partner_source.programs SET name = 'Good' WHERE program_id = 'bad'"),
      ));

    test.concurrent("TenantUnconfirmed, DataTooOld: a tenant on hold", () =>
      firesFor(
        ["TenantUnconfirmed", "DataTooOld"],
        () => fleet.run("snapshot", "rollback", "--tenant", "beta", "--allow-shrink"),
        () => fleet.run("snapshot", "release", "--tenant", "beta"),
      ));

    test.concurrent("BuilderStopped: the scheduler does not start a build, and then does", () =>
      firesFor(["BuilderStopped"], () => {}, fleet.buildOnSchedule));
  });

  describe("database and gateway", () => {
    test.concurrent("BuildFailed, NotificationsDown: the database takes nobody in", () => {
      const { url } = bench.database;
      const name = new URL(url).pathname.slice(1);
      // From another database: nobody can shut the door of the one that they are in.
      const allow = (isAllowed: boolean) =>
        onServer(databaseUrl(url, "postgres"), `ALTER DATABASE ${name} ALLOW_CONNECTIONS ${isAllowed}`);
      return firesFor(
        ["BuildFailed", "NotificationsDown"],
        async () => {
          await allow(false);
          await bench.source.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'partner-programs%'",
          );
        },
        () => allow(true),
      );
    });

    test.concurrent("GatewayDown: its process is killed", () =>
      firesFor(["GatewayDown"], fleet.gateway.kill, fleet.gateway.start));
  });

  test("StoreFailing, TokenRegistryUnconfirmed, GatewayErrors, GatewayUnready: the store answers 500", () =>
    firesFor(
      ["StoreFailing", "TokenRegistryUnconfirmed", "GatewayErrors", "GatewayUnready"],
      () => fleet.s3.faults.add({ kind: "before", times: Number.POSITIVE_INFINITY }),
      () => fleet.s3.faults.clear(),
    ));

  test("NearlyAllUnauthorized: everybody's token is unknown", () => {
    const good = bearer;
    return firesFor(
      ["NearlyAllUnauthorized"],
      () => {
        bearer = issueToken("acme").plaintext;
      },
      () => {
        bearer = good;
      },
    );
  });

  test("NoValidToken: the registry is emptied, and restored", () =>
    firesFor(
      ["NoValidToken"],
      () => quotaGateway.tokens.write([]),
      () => quotaGateway.tokens.write([capped]),
    ));

  test("StoreChanged: another store answers in the place of the one that was there", () => {
    const { objects } = fleet.s3;
    const own = objects.get("store.json");
    if (own === undefined) throw new Error("the fleet's store has no identity");
    const bytes = Buffer.from(own.bytes.toString().replace(/store_\w+/, testStoreId("b")));
    return firesFor(
      ["StoreChanged"],
      () => objects.set("store.json", { ...own, bytes, etag: '"another"' }),
      () => objects.set("store.json", own),
    );
  });

  test("StoreBegun: the scheduled build runs where no store is", () =>
    firesFor(["StoreBegun"], fleet.buildElsewhere, () => {}));

  test("StoreSlow: every call takes more than a second", () =>
    firesFor(
      ["StoreSlow"],
      () => fleet.s3.onRequest(() => new Promise((resolve) => setTimeout(resolve, 1500))),
      () => fleet.s3.onRequest(undefined),
    ));

  test("BuilderBehind: a view that hangs", async () => {
    await firesFor(
      ["BuilderBehind"],
      async () => {
        gate = await gateSource(bench);
        for (const id of ["slow-1", "slow-2", "slow-3", "slow-4"]) {
          await bench.source.insert("tenants", { tenant_id: id });
          await bench.source.query(
            "INSERT INTO public.programs (tenant_id, program_id, name, lifecycle_state) VALUES ($1, 'a', 'A', 'active')",
            [id],
          );
        }
      },
      () => gate?.open(),
    );
  });

  test("BuilderDown: its process is killed", () =>
    firesFor(["BuilderDown"], fleet.watch.kill, fleet.watch.start));

  test("have all been seen to fire and to end, and the fleet is as it was", async () => {
    await fleet.buildOnSchedule();
    await Promise.all(names.map((name) => prometheus.rests(name)));
    expect([...told].sort()).toEqual(names.filter((name) => hasRedis || name !== "RedisAway").sort());
  });
});
