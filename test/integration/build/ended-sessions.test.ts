import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { patience } from "../../support/patience.ts";
import { sessionsEnded } from "../../support/postgres.ts";
import {
  type Ending,
  type Moment,
  type PostgresProxy,
  startPostgresProxy,
} from "../../support/postgres-proxy.ts";
import { type CliProcess, runCli, startCli } from "../../support/run-cli.ts";
import { parsedReport, useWorkbench } from "../../support/workbench.ts";

const bench = useWorkbench();
let proxy: PostgresProxy;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  proxy = await startPostgresProxy(bench.database.url);
  env = { ...bench.env, DATABASE_URL: proxy.url, LOG_LEVEL: "error" };
});

afterAll(async () => {
  await proxy.close();
});

beforeEach(async () => {
  await sessionsEnded(bench.database, "partner-programs%");
  await bench.reset();
  for (const tenantId of ["acme", "beta"]) {
    await bench.source.insert("tenants", { tenant_id: tenantId });
    await bench.insertMany(tenantId, 3);
  }
});

/** Of the reading of a build, in its order. */
const readings: readonly Pick<Moment, "at" | "when">[] = [
  // The farewell that comes while the pool hands the connection out.
  { at: "application_name\0partner-programs\0", when: "with" },
  { at: "BEGIN", when: "before" },
  { at: "BEGIN", when: "with" },
  { at: "SET LOCAL", when: "before" },
  { at: "WITH RECURSIVE based", when: "during" },
  { at: "partner_source.tenants", when: "during" },
  { at: "UNION ALL", when: "before" },
  { at: "UNION ALL", when: "during" },
  { at: "json_agg", when: "before" },
  { at: "json_agg", when: "during" },
  { at: "json_agg", when: "with" },
  { at: "COMMIT", when: "before" },
  { at: "COMMIT", when: "with" },
];
/** Of the reading of a tenant whose programs do not come in one round. */
const rounds: readonly Pick<Moment, "at" | "when">[] = [
  { at: "DECLARE", when: "before" },
  { at: "FETCH", when: "before" },
  { at: "FETCH", when: "during" },
  { at: "FETCH", when: "with" },
];
const endings: readonly Ending[] = ["fatal", "close", "reset"];

describe("a session that ends", () => {
  test.each(
    [...readings, ...rounds].map((moment, at) => ({
      ...moment,
      ending: endings[at % endings.length] ?? "fatal",
    })),
  )("$when $at ($ending) fails the build with a message", async (moment) => {
    if (rounds.some(({ at }) => at === moment.at)) {
      await bench.source.insert("tenants", { tenant_id: "large" });
      await bench.insertMany("large", 65);
    }
    const ended = proxy.arm(moment);
    const { status, signal, stdout, stderr } = await runCli(["snapshot", "build", "--json"], { env });
    await ended;
    expect(signal).toBeNull();
    const report = parsedReport(stdout);
    expect(status).toBe(report.exitStatus);
    expect(stderr).not.toMatch(/^\s+at /m);
    const failures = [report.failure, ...report.tenants.map(({ failure }) => failure)].filter(
      (f) => f !== null,
    );
    // The answer to a COMMIT that comes with a farewell has come.
    const isDone = moment.at === "COMMIT" && moment.when === "with";
    if (!isDone) expect(failures.map(({ code }) => code)).toEqual(["source_unavailable"]);
    expect([0, 1, 3]).toContain(status);
  });

  test.each(endings)(
    "at once (%s), for each of its connections, leaves the build to end by itself",
    async (ending) => {
      for (const at of ["<connect>", "<startup>"]) {
        const ended = proxy.arm({ at, when: "before", ending });
        const { signal, stderr } = await runCli(["snapshot", "build"], { env });
        await ended;
        expect(signal).toBeNull();
        expect(stderr).not.toMatch(/^\s+at /m);
      }
    },
  );
});

describe("snapshot watch", () => {
  let watch: CliProcess | undefined;

  afterEach(async () => {
    watch?.child.kill("SIGKILL");
    await watch?.ended;
  });

  test("goes on, whenever its sessions end, and builds again", async () => {
    watch = startCli(["snapshot", "watch", "--interval", "1"], { env });
    let isEnded = false;
    void watch.ended.then(() => {
      isEnded = true;
    });
    const moments: readonly Moment[] = [
      ...readings.flatMap((moment, at): Moment[] => (at % 2 === 0 ? [{ ...moment, ending: "fatal" }] : [])),
      { at: "<connect>", when: "before", ending: "reset" },
      { at: "<startup>", when: "before", ending: "close" },
      { at: "<startup>", when: "with", ending: "fatal" },
    ];
    const endAll = (): Promise<unknown> =>
      bench.database.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'partner-programs%'",
      );
    let round = 0;
    for (const moment of moments) {
      round += 1;
      const ended = proxy.arm(moment);
      // A new session connects, and is sent the text of each query again. An older one knows most queries by their names.
      await endAll();
      await bench.insertPrograms("acme", `round-${round}`);
      await ended;
      await vi.waitFor(async () => {
        expect(isEnded, `${moment.when} ${moment.at} ended the watch`).toBe(false);
        const { list } = await bench.published("acme");
        expect(list.data.map(({ id }) => id)).toContain(`round-${round}`);
      }, patience);
    }
    // All its sessions at once, with the one that listens.
    await endAll();
    await bench.insertPrograms("acme", "last");
    await vi.waitFor(async () => {
      const { list } = await bench.published("acme");
      expect(list.data.map(({ id }) => id)).toContain("last");
    }, patience);
    watch.child.kill("SIGTERM");
    const { status, stderr } = await watch.ended;
    expect(status).toBe(0);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
