import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { forEachRequest } from "../../../cli/operate/gateway-log/merged-requests.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "merged-requests-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const never = new AbortController().signal;
const line = (second: number, requestId: string): string =>
  JSON.stringify({
    msg: "request",
    time: new Date(second * 1000).toISOString(),
    requestId,
    route: "list",
    status: 200,
  });

async function idsOf(logs: readonly (readonly string[])[]): Promise<readonly string[]> {
  const sources = [];
  for (const [at, lines] of logs.entries()) {
    const name = join(directory, `${at}.log`);
    const text = lines.map((each) => `${each}\n`).join("");
    await writeFile(name, at % 2 === 0 ? text : gzipSync(text));
    sources.push({ name, stdin: (async function* () {})() });
  }
  const ids: string[] = [];
  await forEachRequest(sources, ({ requestId }) => ids.push(requestId), never);
  return ids;
}

test("requests of rotated logs and of several gateways come by time, in whatever order the logs are given", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.nat(1000), { maxLength: 20 }), { minLength: 1, maxLength: 4 }),
      async (logs) => {
        const sorted = logs.map((times) => times.toSorted((a, b) => a - b));
        const ids = await idsOf(
          sorted.map((times, log) => times.map((at, n) => line(at, `${at}-${log}-${n}`))),
        );
        const times = ids.map((id) => Number(id.split("-")[0]));
        expect(times).toEqual(logs.flat().toSorted((a, b) => a - b));
        expect(new Set(ids).size).toBe(logs.flat().length);
      },
    ),
    { numRuns: 30 },
  );
});

test("what is no request is passed over, and a log that is not there ends it", async () => {
  expect(await idsOf([["hello", line(2, "b"), "{"], [], [line(1, "a")]])).toEqual(["a", "b"]);
  const missing = { name: join(directory, "none"), stdin: (async function* () {})() };
  await expect(forEachRequest([missing], () => {}, never)).rejects.toThrow("could not be read");
});
