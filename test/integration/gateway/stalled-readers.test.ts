import { randomBytes } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { takenBytes } from "../../../gateway/request/send-answer.ts";
import { type Client, eventually } from "../../support/gateway-client.ts";
import { type FaultyStore, faultyStore } from "../../support/gateway-faulty-store.ts";
import { type GatewayFixture, type LogLine, startGateway } from "../../support/gateway-fixture.ts";
import { type PublishedSnapshot, publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { openSocket } from "../../support/raw-http.ts";

const tokens = { noise: issueToken("noise"), small: issueToken("small") };
const stallSeconds = 2;
let gateway: GatewayFixture;
let client: Client;
let seen: FaultyStore;
let snapshot: PublishedSnapshot;
const sockets: Socket[] = [];
/**
 * The gateway's ends of all connections, since it runs in this process; with what the system took of each.
 */
const served = new Map<Socket, number>();
const onServed = (message: unknown): void => {
  served.set((message as { readonly socket: Socket }).socket, 0);
};

beforeEach(() => subscribe("net.server.socket", onServed));
afterEach(async () => {
  unsubscribe("net.server.socket", onServed);
  served.clear();
  for (const socket of sockets.splice(0)) socket.destroy();
  await gateway.close();
});

/**
 * A gateway with a list of 16 MB that gzip does not make much smaller, more than the system takes at once.
 */
async function start(env: Readonly<Record<string, string>>): Promise<void> {
  gateway = await startGateway({
    env: { SEND_STALL_SECONDS: String(stallSeconds), RATE_LIMIT_REQUESTS: "1000000", ...env },
    async fill(store, file) {
      await file.write(Object.values(tokens));
      const mark = randomBytes(8 * 1024 * 1024).toString("hex");
      snapshot = await publishSnapshot(store, "noise", { programIds: ["p1"], mark, minBytes: 1 });
      await publishSnapshot(store, "small", { programIds: ["p1"], minBytes: 60_000 });
    },
    seen(store) {
      seen = faultyStore(store);
      return seen;
    },
    seenTokens: (store) => store,
  });
  ({ client } = gateway);
}

function requestBytes(tenant: keyof typeof tokens, ...headers: readonly string[]): string {
  const lines = ["Host: a", `Authorization: Bearer ${tokens[tenant].plaintext}`, ...headers];
  return `GET /v1/programs HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}

/** Sends, waits until an answer begins to come, and reads nothing of it. */
async function neverReading(bytes: string): Promise<Socket> {
  const socket = openSocket(gateway.api);
  sockets.push(socket);
  socket.on("error", () => {}).write(bytes);
  await once(socket, "readable");
  return socket;
}

const cutLines = (): readonly LogLine[] => gateway.log.filter(({ isCut }) => isCut === true);

/** Whether the system has taken anything for a reader since the last call. */
function hasMoved(): boolean {
  let moved = false;
  for (const [socket, before] of served) {
    const now = takenBytes(socket);
    if (socket.destroyed || now === before) continue;
    served.set(socket, now);
    moved = true;
  }
  return moved;
}

/**
 * Since the last progress, by a clock that stands still while the machine keeps this process from running.
 */
async function allCutWithin(limits: number, count: number): Promise<void> {
  const tickMs = 50;
  let stalledMs = 0;
  const clock = setInterval(() => (stalledMs = hasMoved() ? 0 : stalledMs + tickMs), tickMs);
  await eventually(
    () => cutLines().length,
    (cut) => cut === count || stalledMs > limits * stallSeconds * 1000,
  ).finally(() => clearInterval(clock));
  expect(cutLines().length).toBe(count);
}

const streamed = { CACHE_MAX_MB: "16" };
const whole = { CACHE_MAX_MB: "1024" };
const readersOf: Readonly<Record<string, (id: string) => string>> = {
  whole: (id) => requestBytes("noise", id),
  gzip: (id) => requestBytes("noise", id, "Accept-Encoding: gzip"),
  pipelined: (id) => requestBytes("small", id).repeat(200),
  closing: (id) => requestBytes("noise", id, "Connection: close"),
};
for (const [name, env, kinds] of [
  ["a streamed body", streamed, ["whole"]],
  [
    "bodies from memory: packed or not, small ones of pipelined requests, and the last of a connection",
    whole,
    Object.keys(readersOf),
  ],
] as const) {
  test(`W62 readers that never read ${name} are cut in the time that the setting says`, async () => {
    await start(env);
    // Before the readers, so that they differ in nothing but the time of their request.
    await client.get("/v1/programs", tokens.noise.plaintext, { "Accept-Encoding": "gzip" });
    const readers = kinds.flatMap((kind) =>
      Array.from({ length: 5 }, (_, at) => [kind, `${kind}-${at}`] as const),
    );
    const beganAt = performance.now();
    await Promise.all(
      readers.map(([kind, id]) => neverReading(readersOf[kind]?.(`X-Request-Id: ${id}`) ?? "")),
    );
    await allCutWithin(1.9, readers.length);
    expect(performance.now() - beganAt).toBeGreaterThan(stallSeconds * 950);
    expect(new Set(cutLines().map(({ requestId }) => requestId))).toEqual(
      new Set(readers.map(([, id]) => id)),
    );
    await eventually(seen.openBodies, (open) => open === 0);
  });
}

for (const [name, env] of [
  ["a streamed body", streamed],
  ["a body from memory", whole],
] as const) {
  test(`W62 a reader that takes ${name} slowly but steadily is not cut for that, only when its time is over`, async () => {
    const seconds = 5;
    await start({ ...env, SEND_TIMEOUT_SECONDS: String(seconds) });
    const beganAt = performance.now();
    const socket = await neverReading(requestBytes("noise"));
    const sipping = setInterval(() => socket.read(200 * 1024), 100);
    await eventually(cutLines, (lines) => lines.length > 0).finally(() => clearInterval(sipping));
    expect(performance.now() - beganAt).toBeGreaterThan(seconds * 900);
    await eventually(seen.openBodies, (open) => open === 0);
  });

  test(`W62 a gateway that was held up for longer than the limit does not blame the reader of ${name}`, async () => {
    await start(env);
    const socket = await neverReading(requestBytes("noise"));
    await eventually(hasMoved, (moved) => !moved);
    // So that the gateway has seen that nothing goes on, which it looks at every eighth of the limit.
    await new Promise((resolve) => setTimeout(resolve, stallSeconds * 250));
    const heldUntil = performance.now() + stallSeconds * 1000;
    while (performance.now() < heldUntil);
    await expectWhole(socket);
  });
}

async function expectWhole(socket: Socket): Promise<void> {
  let received = 0;
  socket.on("data", (chunk) => (received += chunk.length));
  socket.resume();
  await expect.poll(() => received).toBeGreaterThan(snapshot.list.length);
  expect(cutLines()).toEqual([]);
}
