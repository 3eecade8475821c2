import { connect, createServer, type Socket } from "node:net";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { runCommand } from "../../support/command-line.ts";
import { forAllTests } from "../../support/lasting.ts";
import { openServer } from "../../support/open-server.ts";
import { patience } from "../../support/patience.ts";
import { sessionsEnded } from "../../support/postgres.ts";
import { runCli, startCli } from "../../support/run-cli.ts";
import { parsedReport, useWorkbench } from "../../support/workbench.ts";

const bench = useWorkbench();
const proxy = forAllTests(() => startProxy(bench.database.url));
const env = () => ({ ...bench.env, DATABASE_URL: proxy.url, LOG_LEVEL: "error" });

beforeEach(async () => {
  await sessionsEnded(bench.database, "partner-programs%");
  await bench.reset();
  // The programs of `large` do not come in one round.
  for (const [tenantId, count] of [
    ["acme", 3],
    ["large", 65],
  ] as const) {
    await bench.source.insert("tenants", { tenant_id: tenantId });
    await bench.insertMany(tenantId, count);
  }
});

test("a session that ends, at whatever packet, fails the build with a message or does not matter any more", async () => {
  let failed = 0;
  for (let at = 1; ; at += 1) {
    const ended = proxy.endAt(at);
    // A process of its own, which ends by itself, now and then: starting one takes ten times as long as the
    // build.
    const build = at % 8 === 0 ? runCli : runCommand;
    const { status, stdout, stderr } = await build(["snapshot", "build", "--json"], { env: env() });
    expect([typeof status, stderr]).toEqual(["number", expect.not.stringMatching(/^\s+at /m)]);
    const report = parsedReport(stdout);
    expect(status).toBe(report.exitStatus);
    const failures = [report.failure, ...report.tenants.map(({ failure }) => failure)];
    const codes = failures.flatMap((failure) => failure?.code ?? []);
    if (!ended.isSo) break;
    expect(new Set([...codes, "source_unavailable"])).toEqual(new Set(["source_unavailable"]));
    if (codes.length > 0) failed += 1;
  }
  expect(failed).toBeGreaterThan(15);
});

test("a watch goes on, whenever its sessions end, and builds again", async () => {
  const watch = startCli(["snapshot", "watch", "--interval", "1"], { env: env() });
  onTestFinished(async () => {
    watch.child.kill("SIGKILL");
    await watch.ended;
  });
  for (const at of [1, 2, 3, 5, 8, 13, 21, Number.POSITIVE_INFINITY]) {
    proxy.endAt(at);
    // All of them, with the one that listens: new sessions connect, and are sent the text of each query
    // again.
    await bench.database.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'partner-programs%'",
    );
    await bench.insertPrograms("acme", `round-${at}`);
    await vi.waitFor(async () => {
      expect(watch.child.exitCode).toBeNull();
      const { list } = await bench.published("acme");
      expect(list.data.map(({ id }) => id)).toContain(`round-${at}`);
    }, patience);
  }
  watch.child.kill("SIGTERM");
  const { status, stderr } = await watch.ended;
  expect([status, stderr]).toEqual([0, expect.not.stringMatching(/^\s+at /m)]);
});

/**
 * A hop to a real PostgreSQL that ends one session: by turns as a server does that shuts down, without a
 * word, and torn down.
 */
async function startProxy(target: string) {
  const { hostname, port } = new URL(target);
  let armed = { left: Number.POSITIVE_INFINITY, kind: 0, isSo: false };
  const server = createServer((near) => {
    const far = connect({ host: hostname, port: Number(port) });
    /** Passes a packet on; the one that was waited for stays, or is the last. */
    const pass = (to: Socket, packet: Buffer, last: Buffer): void => {
      armed.left -= 1;
      if (armed.left !== 0) {
        to.write(packet);
        return;
      }
      armed.isSo = true;
      near.off("close", endBoth);
      far.destroy();
      if (armed.kind === 0) near.resetAndDestroy();
      else near.end(Buffer.concat([last, ...(armed.kind === 1 ? [farewell] : [])]));
    };
    const endBoth = (): void => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      socket.on("error", () => {});
      socket.on("close", endBoth);
    }
    near.on("data", (packet) => pass(far, packet, Buffer.alloc(0)));
    far.on("data", (packet) => pass(near, packet, packet));
  });
  const listening = await openServer(server);
  const url = new URL(target);
  url.host = `127.0.0.1:${listening.port}`;
  return {
    url: url.href,
    /** Ends the session that the packet of this number belongs to, counted over all sessions from now. */
    endAt(at: number): { readonly isSo: boolean } {
      armed = { left: at, kind: at % 3, isSo: false };
      return armed;
    },
    close: listening.close,
  };
}

/** ErrorResponse: what a server says that an administrator shuts down. */
const farewell = (() => {
  const body = "SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0";
  const message = Buffer.alloc(5 + body.length);
  message.write(`E\0\0\0\0${body}`, "latin1");
  message.writeUInt32BE(4 + body.length, 1);
  return message;
})();
