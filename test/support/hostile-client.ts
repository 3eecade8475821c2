import fc from "fast-check";
import { openSocket } from "./raw-http.ts";

/** What a client does on one connection that no client in good order does. Small, so that a failing one can be read. */
export interface HostilePlan {
  /** What it sends: something, something many times, something. */
  readonly text: readonly [before: string, repeated: string, times: number, after: string];
  /** Where the bytes are cut into packets. */
  readonly cuts: readonly number[];
  /** Milliseconds between packets. */
  readonly pauseMs: number;
  /** Whether it takes what it is sent. */
  readonly isReading: boolean;
}

export interface HostileClient {
  /** All is sent, or the server has ended the connection. */
  readonly done: Promise<void>;
  leave(): void;
}

/** Plans of all kinds, some with this token. */
export function hostilePlan(token: string): fc.Arbitrary<HostilePlan> {
  return fc.record({
    text: fc.oneof(flood(token), endlessBody, strangeHead),
    cuts: fc.array(fc.nat(20_000), { maxLength: 30 }),
    pauseMs: fc.constantFrom(0, 0, 5),
    isReading: fc.boolean(),
  });
}

export function hostileBytes({ text: [before, repeated, times, after] }: HostilePlan): Buffer {
  return Buffer.from(before + repeated.repeat(times) + after, "latin1");
}

export function startHostileClient(origin: string, plan: HostilePlan): HostileClient {
  const { cuts, pauseMs, isReading } = plan;
  const bytes = hostileBytes(plan);
  const socket = openSocket(origin);
  const ended = new Promise<void>((resolve) => {
    socket.on("error", () => {}).once("close", () => resolve());
  });
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

const path = fc.constantFrom("/v1/programs", "/v1/programs/p1", "/unknown", "/", "*", "/v1/programs/%zz");
type Text = HostilePlan["text"];

/** Up to 2 MB of it: enough of small requests to fill any queue that has no bound. */
function often(before: string, repeated: string): fc.Arbitrary<Text> {
  return fc.nat(Math.ceil(2_000_000 / repeated.length)).map((times) => [before, repeated, times, ""]);
}

function flood(token: string): fc.Arbitrary<Text> {
  const ends = fc.constantFrom(
    "\r\n",
    `Authorization: Bearer ${token}\r\n\r\n`,
    "Authorization: Bearer x\r\n\r\n",
    "Content-Length: 5\r\n\r\n12345",
  );
  return fc
    .tuple(fc.constantFrom("GET", "HEAD", "POST"), path, ends)
    .chain(([method, to, end]) => often("", `${method} ${to} HTTP/1.1\r\nHost: a\r\n${end}`));
}

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
      ...[" ", "\t", " \t", "\r", "a", ",", ";"],
      ...["\r\nX-Request-Id: a", "\r\nAccept-Encoding: b"],
    ),
    length: fc.nat(60_000),
    after: fc.constantFrom("b", "", "\x01", "\r\nBroken", "\n"),
  })
  .map(({ method, to, name, before, filler, length, after }): Text => {
    const opening = `${method} ${to} HTTP/1.1\r\nHost: a\r\n${name}: ${before}`;
    return [opening, filler, Math.ceil(length / filler.length), `${after}\r\n\r\n`];
  });
