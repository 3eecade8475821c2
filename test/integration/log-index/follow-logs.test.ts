import {
  appendFile,
  copyFile,
  mkdtemp,
  readFile,
  rename,
  rm,
  truncate,
  unlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FollowedLog, type KnownContent } from "../../../cli/operate/log-index/followed-log.ts";
import { followLogs, type RequestLog } from "../../../cli/operate/log-index/request-log.ts";
import { logLine, logLines } from "../../support/log-lines.ts";

const { signal } = new AbortController();
let folder: string;
let log: RequestLog | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "follow-logs-"));
});

afterEach(async () => {
  await log?.close();
  log = undefined;
  await rm(folder, { recursive: true, force: true });
});

const path = (name: string): string => join(folder, name);

async function follow(...names: readonly string[]): Promise<RequestLog> {
  log = followLogs(
    names.map((name) => ({ name: name === "-" ? name : path(name), stdin: Readable.from([]) })),
    signal,
  );
  await log.isRead;
  return log;
}

/** The ids of all requests that the index has, in their order. */
async function ids(of: RequestLog): Promise<string[]> {
  await of.refresh();
  const { lines } = await of.index.find({ filter: {}, limit: 100 }, signal);
  return lines.map(({ requestId }) => requestId).reverse();
}

test("P67 A compressed log that ends early stays named for as long as it does", async () => {
  const whole = gzipSync(logLines(["r1", "r2"]));
  await writeFile(path("a.log.1.gz"), whole.subarray(0, whole.length - 12));
  const followed = await follow("a.log.1.gz");
  for (let look = 1; look <= 3; look += 1) {
    expect(followed.state().faults).toEqual([expect.stringContaining("a.log.1.gz ends early")]);
    await followed.refresh();
  }
  await writeFile(path("a.log.1.gz"), whole);
  expect(await ids(followed)).toEqual(["r1", "r2"]);
  expect(followed.state().faults).toEqual([]);
});

describe("P67: each request of the logs is counted once", () => {
  test("while a log grows, also by half a line", async () => {
    await writeFile(path("a.log"), logLines(["r1", "r2"]));
    const followed = await follow("a.log");
    expect(await ids(followed)).toEqual(["r1", "r2"]);
    const next = logLine({ requestId: "r3", time: "2026-11-21T11:00:00.000Z" });
    await appendFile(path("a.log"), next.slice(0, 40));
    expect(await ids(followed)).toEqual(["r1", "r2"]);
    await appendFile(path("a.log"), next.slice(40));
    expect(await ids(followed)).toEqual(["r1", "r2", "r3"]);
  });

  test.each([
    ["a.log", "a.log.1"],
    ["a.log.1", "a.log"],
  ])("when it is renamed, named as %s %s", async (...names) => {
    await writeFile(path("a.log"), logLines(["r1", "r2"]));
    const followed = await follow(...names);
    expect(await ids(followed)).toEqual(["r1", "r2"]);
    // Written before the rotation, and not yet read.
    await appendFile(path("a.log"), logLine({ requestId: "r3", time: "2026-11-21T11:00:00.000Z" }));
    await rename(path("a.log"), path("a.log.1"));
    await writeFile(path("a.log"), logLine({ requestId: "r4", time: "2026-11-21T12:00:00.000Z" }));
    expect(await ids(followed)).toEqual(["r1", "r2", "r3", "r4"]);
    expect(followed.state().requests).toBe(4);
  });

  test("when it is renamed, and the new name was not given", async () => {
    await writeFile(path("a.log"), logLines(["r1", "r2"]));
    const followed = await follow("a.log");
    await appendFile(path("a.log"), logLine({ requestId: "r3", time: "2026-11-21T11:00:00.000Z" }));
    await rename(path("a.log"), path("gone"));
    await unlink(path("gone"));
    await writeFile(path("a.log"), logLine({ requestId: "r4", time: "2026-11-21T12:00:00.000Z" }));
    expect(await ids(followed)).toEqual(["r1", "r2", "r3", "r4"]);
  });

  test.each(["shorter", "as long", "longer"])(
    "when it is copied and emptied, and is %s afterwards",
    async (size) => {
      await writeFile(path("a.log"), logLines(["r1", "r2"]));
      const followed = await follow("a.log", "a.log.1");
      expect(await ids(followed)).toEqual(["r1", "r2"]);
      await copyFile(path("a.log"), path("a.log.1"));
      await truncate(path("a.log"));
      const count = { shorter: 1, "as long": 2, longer: 5 }[size] ?? 0;
      const fresh = Array.from({ length: count }, (_, at) => `s${at}`);
      await appendFile(path("a.log"), logLines(fresh, { time: "2026-11-21T12:00:00.000Z" }));
      expect((await ids(followed)).sort()).toEqual(["r1", "r2", ...fresh]);
    },
  );

  test.each([
    ["gzip", ".gz", gzipSync],
    ["Brotli", ".br", brotliCompressSync],
  ] as const)("when it is compressed with %s later", async (_, suffix, compress) => {
    await writeFile(path("a.log"), logLines(["r1", "r2"]));
    const followed = await follow("a.log", `a.log.1${suffix}`);
    expect(await ids(followed)).toEqual(["r1", "r2"]);
    await writeFile(path(`a.log.1${suffix}`), compress(await readFile(path("a.log"))));
    await unlink(path("a.log"));
    await writeFile(path("a.log"), logLine({ requestId: "r4", time: "2026-11-21T12:00:00.000Z" }));
    expect(await ids(followed)).toEqual(["r1", "r2", "r4"]);
  });

  test("when one log is given twice", async () => {
    await writeFile(path("a.log"), logLines(["r1", "r2"]));
    await copyFile(path("a.log"), path("b.log"));
    expect(await ids(await follow("a.log", "a.log", "b.log"))).toEqual(["r1", "r2"]);
  });
});

describe("a large log is read from its end to its beginning", () => {
  const all = Array.from({ length: 12_000 }, (_, at) => `r${String(at).padStart(5, "0")}`);
  const lines = (from: number, to: number): string =>
    all
      .slice(from, to)
      .map((requestId) => logLine({ requestId, cause: "c".repeat(300) }))
      .join("");
  let taken: string[];
  let refuse = false;

  /** Records the ids of the requests in the lines, in the order in which they are taken. */
  async function take(block: Buffer): Promise<number> {
    if (refuse && taken.length > 0) throw new Error("The disk is full.");
    const ids = [...block.toString("utf8").matchAll(/"requestId":"(r\d+)"/g)].map(([, id]) => id ?? "");
    taken.push(...ids);
    return ids.length;
  }

  beforeEach(async () => {
    taken = [];
    refuse = false;
    await writeFile(path("a.log"), `${lines(0, 11_000)}{"half of a line`);
  });

  test("the newest requests first, each once, and what is written meanwhile", async () => {
    const tooLong = `${JSON.stringify({ msg: "x".repeat(1_500_000) })}\n`;
    await writeFile(path("a.log"), `${lines(0, 6000)}${tooLong}${lines(6000, 11_000)}{"half of a line`);
    const followed = new FollowedLog(path("a.log"), [], take);
    await followed.refresh(signal);
    expect(taken[0]?.localeCompare("r08000")).toBe(1);
    expect(taken.indexOf("r10999")).toBeLessThan(taken.indexOf("r00000"));
    expect(followed.read).toBe(followed.size - '{"half of a line'.length);
    await appendFile(path("a.log"), `"}\n${lines(11_000, 12_000)}`);
    await followed.refresh(signal);
    await followed.refresh(signal);
    expect(taken.toSorted()).toEqual(all);
    await followed.close();
  });

  test("what a fault left unread is read when the fault is over, also from the compressed log", async () => {
    for (const isCompressed of [false, true]) {
      const contents: KnownContent[] = [];
      const followed = new FollowedLog(path("a.log"), contents, take);
      taken = [];
      refuse = true;
      await expect(followed.refresh(signal)).rejects.toThrow("The disk is full.");
      expect(taken).not.toContain("r00000");
      refuse = false;
      if (isCompressed) {
        await writeFile(path("a.log.1.gz"), gzipSync(await readFile(path("a.log"))));
        const compressed = new FollowedLog(path("a.log.1.gz"), contents, take);
        await compressed.refresh(signal);
      } else {
        await followed.refresh(signal);
      }
      expect(taken.toSorted()).toEqual(all.slice(0, 11_000));
      await followed.close();
    }
  });
});

test("logs of several gateways are put in one order, compressed ones and standard input as well", async () => {
  await writeFile(path("a.log"), logLines(["a1", "a2"]));
  await writeFile(path("b.log.gz"), gzipSync(logLines(["b1", "b2"], { time: "2026-11-21T09:00:00.000Z" })));
  log = followLogs(
    [
      { name: path("a.log"), stdin: Readable.from([]) },
      { name: path("b.log.gz"), stdin: Readable.from([]) },
      {
        name: "-",
        stdin: Readable.from([Buffer.from(logLines(["c1"], { time: "2026-11-21T10:00:00.500Z" }))]),
      },
    ],
    signal,
  );
  const followed = log;
  await expect.poll(() => followed.state().requests).toBe(5);
  const all = await ids(followed);
  expect([all.slice(0, 2).sort(), all.slice(2)]).toEqual([
    ["b1", "b2"],
    ["a1", "c1", "a2"],
  ]);
});

test("a log that can't be read is named, and keeps none of the others from being read", async () => {
  await writeFile(path("a.log"), logLines(["r1"]));
  const whole = gzipSync(logLines(Array.from({ length: 5000 }, (_, at) => `b${at}`)));
  await writeFile(path("b.log.gz"), whole.subarray(0, whole.length - 20));
  const followed = await follow("b.log.gz", "a.log", "");
  expect(await followed.index.find({ filter: { requestId: "r1" }, limit: 1 }, signal)).toMatchObject({
    total: 1,
  });
  expect(followed.state().faults).toEqual([
    expect.stringContaining("b.log.gz ends early"),
    expect.stringContaining("EISDIR"),
  ]);
});

test("what is no request, or longer than any, is passed over", async () => {
  const long = logLine({ requestId: "long", cause: "x".repeat(70_000) });
  const endless = `${"y".repeat(1_500_000)}\n`;
  const text = `not JSON\n${long}${endless}{"msg":"request"}\n${logLine({ requestId: "r1" })}`;
  await writeFile(path("a.log"), text);
  expect(await ids(await follow("a.log"))).toEqual(["r1"]);
});

test("what is piped in and never ends keeps nothing from being closed", async () => {
  const stdin = new PassThrough();
  stdin.write(logLines(["r1"]));
  const piped = followLogs([{ name: "-", stdin }], signal);
  await vi.waitFor(() => expect(piped.index.requests).toBe(1), { timeout: 30_000 });
  await piped.close();
  expect(stdin.destroyed).toBe(true);
});
