import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Client, createClient } from "../../support/gateway-client.ts";
import { filledWith } from "../../support/gateway-fixture.ts";
import { type GatewayFleet, startFleet } from "../../support/gateway-fleet.ts";
import type { GatewayProcess } from "../../support/gateway-process.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { openSocket } from "../../support/raw-http.ts";

// Bounded and seeded, as the other fuzz tests. The gateway has a process of its own, so that its memory and
// its processor time are its alone, and the neighbour's waiting is not for the test.
const runs = { seed: 20_260_102, numRuns: Math.ceil(Number(process.env.FUZZ_RUNS ?? 1000) / 50) };

const acme = issueToken("acme", { rateLimit: 1_000_000_000 });
let fleet: GatewayFleet;
let gateway: GatewayProcess;
let neighbour: Client;

beforeAll(async () => {
  fleet = await startFleet({
    size: 1,
    env: { HEADERS_TIMEOUT_SECONDS: "1", LOG_LEVEL: "warn" },
    fill: filledWith([acme], { minBytes: 1024 * 1024 }),
  });
  gateway = fleet.gateways[0] ?? expect.fail("no gateway");
  neighbour = createClient(gateway.api);
});
afterAll(async () => {
  neighbour.close();
  await fleet.close();
});

/** What it sends: something, something many times, something. */
type Text = readonly [before: string, repeated: string, times: number, after: string];

const path = fc.constantFrom("/v1/programs", "/v1/programs/p1", "/unknown", "/", "*", "/v1/programs/%zz");

/** Up to 2 MB of it: enough of small requests to fill any queue that has no bound. */
function often(before: string, repeated: string): fc.Arbitrary<Text> {
  return fc.nat(Math.ceil(2_000_000 / repeated.length)).map((times) => [before, repeated, times, ""]);
}

const flood = fc
  .tuple(
    fc.constantFrom("GET", "HEAD", "POST"),
    path,
    fc.constantFrom(
      "\r\n",
      `Authorization: Bearer ${acme.plaintext}\r\n\r\n`,
      "Authorization: Bearer x\r\n\r\n",
      "Content-Length: 5\r\n\r\n12345",
    ),
  )
  .chain(([method, to, end]) => often("", `${method} ${to} HTTP/1.1\r\nHost: a\r\n${end}`));

const endlessBody = fc
  .tuple(
    path,
    fc.constantFrom("Content-Length: 999999999999", "Transfer-Encoding: chunked"),
    fc.constantFrom("1\r\na\r\n", "5;a=b\r\nhello\r\n", "a", "\0"),
  )
  .chain(([to, framing, piece]) => often(`POST ${to} HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n`, piece));

/** Up to and beyond the limit of a header section, in shapes that patterns go wrong on. */
const strangeHead = fc
  .record({
    method: fc.constantFrom("GET", "get", "FOO", "F", "POST"),
    to: path,
    name: fc.constantFrom("X-Request-Id", "Authorization", "Accept-Encoding", "Cookie", "A"),
    before: fc.constantFrom("", "a", "Bearer ", "gzip;q=", "bearer"),
    filler: fc.constantFrom(
      " ",
      "\t",
      " \t",
      "\r",
      "a",
      ",",
      ";",
      "\r\nX-Request-Id: a",
      "\r\nAccept-Encoding: b",
    ),
    length: fc.nat(60_000),
    after: fc.constantFrom("b", "", "\x01", "\r\nBroken", "\n"),
  })
  .map(({ method, to, name, before, filler, length, after }): Text => {
    const opening = `${method} ${to} HTTP/1.1\r\nHost: a\r\n${name}: ${before}`;
    return [opening, filler, Math.ceil(length / filler.length), `${after}\r\n\r\n`];
  });

/**
 * What a client does on one connection that no client in good order does. Small, so that a failing one can be
 * read.
 */
const hostilePlan = fc.record({
  text: fc.oneof(flood, endlessBody, strangeHead),
  /** Where the bytes are cut into packets. */
  cuts: fc.array(fc.nat(20_000), { maxLength: 30 }),
  /** Milliseconds between packets. */
  pauseMs: fc.constantFrom(0, 0, 5),
  isReading: fc.boolean(),
});
type HostilePlan = typeof hostilePlan extends fc.Arbitrary<infer Plan> ? Plan : never;

function hostileBytes({ text: [before, repeated, times, after] }: HostilePlan): Buffer {
  return Buffer.from(before + repeated.repeat(times) + after, "latin1");
}

/** `done`: all is sent, or the server has ended the connection. */
function startHostileClient(plan: HostilePlan): { readonly done: Promise<void>; leave(): void } {
  const { cuts, pauseMs, isReading } = plan;
  const bytes = hostileBytes(plan);
  const socket = openSocket(gateway.api);
  const ended = new Promise<void>((resolve) => socket.on("error", () => {}).once("close", () => resolve()));
  if (isReading) socket.resume();
  const within = cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b);
  const edges = [0, ...within, bytes.length];
  async function send(): Promise<void> {
    for (const [at, edge] of edges.slice(1).entries()) {
      if (socket.destroyed) return;
      await new Promise((resolve) => socket.write(bytes.subarray(edges[at], edge), resolve));
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return { done: Promise.race([send(), ended]), leave: () => socket.destroy() };
}

async function usage(): Promise<{ readonly cpuSeconds: number; readonly residentBytes: number }> {
  const text = await (await fetch(`${gateway.admin}/metrics`)).text();
  const value = (name: string): number => Number(new RegExp(`^${name} (.+)$`, "m").exec(text)?.[1]);
  return {
    cpuSeconds: value("process_cpu_seconds_total"),
    residentBytes: value("process_resident_memory_bytes"),
  };
}

/**
 * What the machine keeps from the gateway does not count: no longer than the processor time that it took
 * meanwhile.
 */
async function neighbourMs(): Promise<number> {
  const before = (await usage()).cpuSeconds;
  const beganAt = performance.now();
  const { status } = await neighbour.get("/v1/programs/p1", acme.plaintext);
  const waitedMs = performance.now() - beganAt;
  expect(status).toBe(200);
  return Math.min(waitedMs, ((await usage()).cpuSeconds - before) * 1000);
}

/**
 * Lets the clients do their worst, all at once, and gives the longest that the neighbour waited meanwhile.
 */
async function longestWaitMs(plans: readonly HostilePlan[]): Promise<number> {
  const clients = plans.map(startHostileClient);
  let isOver = false;
  // A client that the gateway does not read from any more is not waited for.
  const enough = new Promise((resolve) => setTimeout(resolve, 1000));
  const over = Promise.race([Promise.all(clients.map(({ done }) => done)), enough]).then(() => {
    isOver = true;
  });
  let longest = 0;
  do longest = Math.max(longest, await neighbourMs());
  while (!isOver);
  await over;
  // What was sent last may still be on its way through the gateway.
  longest = Math.max(longest, await neighbourMs());
  for (const client of clients) client.leave();
  return longest;
}

test("whatever clients send, and however they read, it costs what its size costs: processor, memory and neighbours' time", async () => {
  let undisturbedMs = 0;
  for (let at = 0; at < 50; at += 1) undisturbedMs = Math.max(undisturbedMs, await neighbourMs());
  const before = await usage();
  let bytes = 0;
  let mostResident = before.residentBytes;
  await fc.assert(
    fc.asyncProperty(fc.array(hostilePlan, { minLength: 1, maxLength: 8 }), async (plans) => {
      for (const plan of plans) bytes += hostileBytes(plan).length;
      expect(await longestWaitMs(plans)).toBeLessThan(2000 + 20 * undisturbedMs);
      mostResident = Math.max(mostResident, (await usage()).residentBytes);
    }),
    // Shrinking would repeat what just took too long.
    { ...runs, endOnFailure: true },
  );
  const after = await usage();
  expect(after.cpuSeconds - before.cpuSeconds).toBeLessThan(3 + bytes / 1e6 / 5);
  expect(mostResident - before.residentBytes).toBeLessThan(300 * 1024 * 1024);
});
