import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { createAnswerSender, headerList, type ReadyAnswer } from "../../../gateway/request/send-answer.ts";

const keepAliveTimeout = 70_000;
const send = createAnswerSender(keepAliveTimeout);

/**
 * All bytes that a server answers to two requests, the second of which ends the connection; times made equal.
 */
async function answered(requests: readonly string[], listener: RequestListener): Promise<string> {
  const server = createServer({ keepAliveTimeout }, listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.write(requests.join(""));
  await once(socket, "close");
  server.close();
  return Buffer.concat(chunks)
    .toString("latin1")
    .replace(/Date: [^\r]+ GMT\r\n/g, "Date: then\r\n");
}

const last = "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

for (const [name, body] of [
  ["bytes", Buffer.from('{"a":"é😀"}')],
  ["text", '{"a":"b"}'],
  ["nothing", Buffer.alloc(0)],
  ["more than the system takes at once", Buffer.alloc(8 * 1024 * 1024, "x")],
] as const) {
  for (const [kind, requests] of [
    ["GET", [get, last]],
    ["pipelined GETs", [get, get, get, last]],
    ["HEAD", ["HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", last]],
    ["HTTP/1.0 with keep-alive", ["GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", last]],
    ["HTTP/1.0", ["GET / HTTP/1.0\r\n\r\n"]],
  ] as const) {
    test(`${name} in answer to ${kind}: byte for byte what Node would send`, async () => {
      const headers = `X-A: 1\r\nContent-Length: ${body.length}\r\nX-B: a, "b"; c=d\r\n`;
      const response: ReadyAnswer = { status: 404, headers, body, closes: false };
      const ours = await answered(requests, (_, res) => send(res, response));
      const plain = await answered(requests, (_, res) => res.writeHead(404, headerList(headers)).end(body));
      expect([ours === plain, ours.startsWith("HTTP/1.1 404 Not Found\r\nX-A: 1\r\n")]).toEqual([true, true]);
    });
  }
}

test.each([50_000, 100_000])(
  "an answer of %d bytes that waits for its client is not overwritten by those to others",
  async (size) => {
    const taken: boolean[] = [];
    const listener: RequestListener = (req, res) => {
      const letter = req.url === "/a" ? "a" : "b";
      const body = Buffer.alloc(size, letter);
      const headers = `Content-Length: ${size}\r\nX-Letter: ${letter}\r\n`;
      taken.push(send(res, { status: 200, headers, body, closes: false }));
    };
    const server = createServer({ keepAliveTimeout }, listener).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const [slow, quick] = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
    slow.pause();
    while (taken.at(-1) !== false) {
      const before = taken.length;
      slow.write("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
      await expect.poll(() => taken.length, { interval: 1 }).toBe(before + 1);
    }
    const answers = taken.length;

    let received = 0;
    quick.on("data", (chunk: Buffer) => (received += chunk.length));
    quick.write("GET /b HTTP/1.1\r\nHost: a\r\n\r\n");
    await expect.poll(() => received).toBeGreaterThan(size);

    const chunks: Buffer[] = [];
    slow.on("data", (chunk: Buffer) => chunks.push(chunk)).resume();
    const text = (): string => Buffer.concat(chunks).toString("latin1");
    const bodies = (): string => text().replace(/HTTP.*?\r\n\r\n/gs, "");
    await expect.poll(() => bodies().length).toBe(answers * size);
    expect(/^a+$/.test(bodies())).toBe(true);
    expect(text().match(/X-Letter: a\r\n/g)).toHaveLength(answers);
    slow.destroy();
    quick.destroy();
    server.close();
  },
);
