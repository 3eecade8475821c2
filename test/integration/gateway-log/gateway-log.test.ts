import { appendFile, link, rename, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { createGatewayLog, type GatewayLog } from "../../../cli/read/gateway-log/recent-answers.ts";
import { folderForAllTests } from "../../support/lasting.ts";
import { logLine } from "../../support/log-lines.ts";

const now = new Date("2026-11-21T12:00:00.000Z");
const { signal } = new AbortController();
const folder = folderForAllTests();

const path = (name: string): string => join(folder, name);

function open(...names: readonly string[]): GatewayLog {
  const stdin = Readable.from([Buffer.from(lines(1, { tenantId: "piped" }))]);
  return createGatewayLog(
    names.map((name) => ({ name: name === "-" ? name : path(name), stdin })),
    signal,
  );
}

/** Requests of ten minutes ago. */
function lines(count: number, fields: Readonly<Record<string, unknown>> = {}): string {
  const time = "2026-11-21T11:50:00.000Z";
  return Array.from({ length: count }, (_, at) =>
    logLine({ requestId: `r${at}`, time, tenantId: "a", ...fields }),
  ).join("");
}

async function requests(log: GatewayLog, tenantId = "a"): Promise<number> {
  return (await log.lastHour(now)).of(tenantId).requests;
}

const old = { time: "2026-11-21T10:59:59.000Z" };

describe("P67: the answers of the last hour", () => {
  test("are counted by tenant and by what they were, each of the hour and none before", async () => {
    await writeFile(
      path("a.log"),
      [
        lines(3, old),
        lines(2),
        lines(1, { status: 500, cause: "first" }),
        lines(1, { status: 503, cause: "second", time: "2026-11-21T11:55:00.000Z" }),
        lines(1, { status: 429 }),
        lines(2, { status: 401 }),
        lines(1, { tenantId: "b" }),
        lines(1, { tenantId: undefined, status: 401 }),
      ].join(""),
    );
    const recent = await open("a.log").lastHour(now);
    const { failures, ...counts } = recent.of("a");
    expect(counts).toEqual({ requests: 7, failed: 2, limited: 1, refused: 2 });
    expect(failures.map(({ cause }) => cause)).toEqual(["second", "first"]);
    expect([recent.of("b").requests, recent.of(null).refused, recent.of("c").requests]).toEqual([1, 1, 0]);
    const covers = { from: "2026-11-21T11:50:00.000Z", to: "2026-11-21T11:55:00.000Z" };
    expect(recent.state).toEqual({ covers, faults: [] });
  });

  test("are counted anew while the log grows, also by half a line, and is renamed", async () => {
    await writeFile(path("a.log"), lines(2));
    const log = open("a.log", "a.log.1");
    expect(await requests(log)).toBe(2);
    await appendFile(path("a.log"), lines(1).slice(0, 40));
    expect(await requests(log)).toBe(2);
    await appendFile(path("a.log"), lines(1).slice(40));
    await rename(path("a.log"), path("a.log.1"));
    expect(await requests(log)).toBe(3);
    await writeFile(path("a.log"), lines(1));
    expect(await requests(log)).toBe(4);
  });

  test("are read from the end of a large log, of which no more than 64 MB are read", async () => {
    const cause = "c".repeat(30_000);
    await writeFile(
      path("a.log"),
      lines(1, { tenantId: "first" }) + lines(2300, { cause }) + lines(1, { tenantId: "last" }),
    );
    const recent = await open("a.log").lastHour(now);
    expect([recent.of("first").requests, recent.of("last").requests]).toEqual([0, 1]);
    expect(recent.of("a").requests).toBeGreaterThan(2100);
    expect(recent.state.faults).toEqual([expect.stringContaining("Only the newest 64 MB")]);
  });

  test("are those of compressed logs and of standard input, too", async () => {
    await writeFile(path("a.log"), lines(1));
    await writeFile(path("a.log.1.gz"), gzipSync(lines(2)));
    const log = open("a.log", "a.log.1.gz", "-");
    expect(await requests(log)).toBe(3);
    await vi.waitFor(async () => expect(await requests(log, "piped")).toBe(1));
    // What was piped in can be asked again.
    expect(await requests(log, "piped")).toBe(1);
    expect((await log.find("r0")).requests).toHaveLength(3);
  });

  test("are not looked for in a compressed log that was not changed within the hour", async () => {
    await writeFile(path("a.log.1.gz"), "no gzip, and nobody looks");
    await writeFile(path("a.log.1.gz"), gzipSync(lines(2)).subarray(0, -12));
    await utimes(path("a.log.1.gz"), new Date(old.time), new Date(old.time));
    const recent = await open("a.log.1.gz").lastHour(now);
    expect([recent.of("a").requests, recent.state.faults]).toEqual([0, []]);
  });

  test("are counted once where one log has two names", async () => {
    await writeFile(path("a.log"), lines(2));
    await link(path("a.log"), path("b.log"));
    expect(await requests(open("a.log", "a.log", "b.log"))).toBe(2);
  });

  test("are told without what is no request, or longer than any", async () => {
    const endless = `${"y".repeat(1_500_000)}\n`;
    await writeFile(path("a.log"), `${lines(1)}not JSON\n${endless}{"msg":"request"}\n${lines(1)}`);
    expect(await requests(open("a.log"))).toBe(2);
  });
});

test("a log that cannot be read is named, and keeps none of the others from being read", async () => {
  await writeFile(path("a.log"), lines(1));
  const whole = gzipSync(Array.from({ length: 5000 }, (_, at) => lines(1, { requestId: `b${at}` })).join(""));
  await writeFile(path("b.log.gz"), whole.subarray(0, whole.length - 20));
  const recent = await open("b.log.gz", "a.log", "", "rotated.log").lastHour(now);
  expect(recent.of("a").requests).toBeGreaterThan(0);
  expect(recent.state.faults).toEqual([
    expect.stringContaining("b.log.gz ends early"),
    expect.stringContaining("EISDIR"),
  ]);
  const none = await open("no.log", "rotated.log").lastHour(now);
  expect(none.state.faults).toEqual([expect.stringContaining("no.log"), expect.stringContaining("ENOENT")]);
});

test("what is piped in and never ends keeps nothing from being closed", async () => {
  const stdin = new PassThrough();
  stdin.write(lines(1));
  const ending = new AbortController();
  const log = createGatewayLog([{ name: "-", stdin }], ending.signal);
  await vi.waitFor(async () => expect(await requests(log)).toBe(1));
  ending.abort();
  await vi.waitFor(() => expect(stdin.destroyed).toBe(true));
});
