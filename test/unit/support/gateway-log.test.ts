import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as zlib from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findRequests } from "../../../cli/read/gateway-log/find-requests.ts";
import { type LogSource, openLog, wholeLines } from "../../../cli/read/gateway-log/open-log.ts";
import { requestLine } from "../../../cli/read/gateway-log/request-line.ts";
import { folderForAllTests } from "../../support/lasting.ts";

const never = new AbortController().signal;
const directory = folderForAllTests();

function line(fields: Readonly<Record<string, unknown>> = {}): string {
  const time = "2026-11-21T12:00:00.000Z";
  const base = { level: "info", time, program: "gateway", requestId: "r-1", route: "list", status: 200 };
  return JSON.stringify({ ...base, durationMs: 1.5, bytes: 10, ...fields, msg: "request" });
}

async function logFile(name: string, bytes: string | Uint8Array): Promise<LogSource> {
  const path = join(directory, name);
  await writeFile(path, bytes);
  return { name: path, stdin: none() };
}

async function* none(): AsyncGenerator<Uint8Array> {}

async function text(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}

describe("a line of the access log", () => {
  test.each([
    ["a time and a stream in front", `2026-11-21T12:00:00Z stdout F ${line()}`],
    ["Docker's json-file driver around it", JSON.stringify({ log: `${line()}\n`, stream: "stdout" })],
    ["journald around it", JSON.stringify({ __REALTIME_TIMESTAMP: "1", MESSAGE: line(), PRIORITY: "6" })],
    ["CloudWatch around it", JSON.stringify({ timestamp: 1_795_262_400_000, message: line() })],
    ["Datadog around it", JSON.stringify({ service: "gateway", message: JSON.parse(line()) })],
    ["one message in another", JSON.stringify({ message: JSON.stringify({ message: line() }) })],
    ["Google Cloud around it", JSON.stringify({ logName: "x", jsonPayload: JSON.parse(line()) })],
    ["Loki around it", JSON.stringify({ labels: { app: "gateway" }, line: line(), timestamp: "x" })],
    [
      "three collectors around it",
      JSON.stringify({ line: JSON.stringify({ MESSAGE: JSON.stringify({ log: line() }) }) }),
    ],
    ["labels in braces in front", `{app="gateway"} ${line()}`],
    ["a brace in front", `{ ${line()}`],
  ])("P209 is found with %s", (_, wrapped) => expect(requestLine(wrapped)).toEqual(requestLine(line())));

  test("P209 has the collector's time when that was taken out of it", () => {
    const { time: timestamp, ...jsonPayload } = JSON.parse(line());
    expect(requestLine(JSON.stringify({ jsonPayload, timestamp }))?.time).toBe(timestamp);
  });

  test.each([
    ["another message", JSON.stringify({ time: "2026-11-21T12:00:00Z", msg: "ready" })],
    ["half a line", line().slice(0, 40)],
    ["no JSON", "GET /v1/programs 200"],
    ["nothing", ""],
    ["a time that is none", line({ time: "yesterday" })],
    [
      "four wrappings",
      ["line", "MESSAGE", "log", "message"].reduce((text, key) => JSON.stringify({ [key]: text }), line()),
    ],
    ["a status that is none", line({ status: "200" })],
  ])("is not seen in %s", (_, other) => expect(requestLine(other)).toBeUndefined());
});

test("the blocks of a stream hold every line whole, however the stream is cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: fc.constantFrom("a", "é", "日") }), { maxLength: 20 }),
      fc.integer({ min: 1, max: 7 }),
      async (lines, size) => {
        const bytes = Buffer.from(lines.join("\n"));
        const found: string[] = [];
        for await (const block of wholeLines(pieces(bytes, size))) {
          const cut = block.toString();
          found.push(...(cut.endsWith("\n") ? cut.slice(0, -1) : cut).split("\n"));
        }
        expect(found.join("\n").replace(/\n+$/, "")).toBe(lines.join("\n").replace(/\n+$/, ""));
      },
    ),
  );
});

describe("a log file", () => {
  const content = `${line()}\n${line({ requestId: "r-2" })}\n`;

  test.each([
    ["plain", "plain.log", (bytes: Buffer) => bytes],
    ["gzip, whatever its name", "rotated.1", (bytes: Buffer) => zlib.gzipSync(bytes)],
    [
      "gzip of several members, as rotation appends them",
      "members.gz",
      (bytes: Buffer) => Buffer.concat([zlib.gzipSync(bytes), zlib.gzipSync("")]),
    ],
  ])("is read when it is %s", async (_, name, compress) => {
    const source = await logFile(name, compress(Buffer.from(content)));
    expect(await text(openLog(source, never))).toBe(content);
  });

  test("of - is standard input, compressed or not", async () => {
    const stdin = pieces(zlib.gzipSync(Buffer.from(content)), 7);
    expect(await text(openLog({ name: "-", stdin }, never))).toBe(content);
  });
});

test("the search for a request says what time the logs cover", async () => {
  const [from, to] = ["2026-11-20T00:00:00.000Z", "2026-11-22T00:00:00.000Z"];
  const logs = [
    await logFile("a.log", `${line({ time: from, requestId: "x" })}\n${line()}\n`),
    await logFile("b.log", `${line()}\n${line({ time: to, requestId: "y" })}\n`),
  ];
  expect((await findRequests(logs, "r-1", never)).covers).toEqual({ from, to });
});

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
