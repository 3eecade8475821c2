import { once } from "node:events";
import { connect } from "node:net";
import { wholeAnswer } from "./whole-answer.ts";

/** What asking for each path once measured. */
export interface OnceEach {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/**
 * Asks a server of this machine for each path once, over so many connections. Throws unless every answer is a 200 with a
 * Content-Length. Plain sockets: a client with more to it would take more of the machine than what it measures.
 */
export async function onceEach(
  url: string,
  headers: Readonly<Record<string, string>>,
  paths: readonly string[],
  connections: number,
): Promise<OnceEach> {
  const { port, host } = new URL(url);
  const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const tail = ` HTTP/1.1\r\n${lines.join("")}\r\n`;
  const queue = paths[Symbol.iterator]();
  const times: number[] = [];
  const startedAt = performance.now();
  const worker = async (): Promise<void> => {
    const socket = connect(Number(port), "127.0.0.1").setNoDelay(true);
    await once(socket, "connect");
    for (const path of queue) {
      const askedAt = performance.now();
      socket.write(`GET ${path}${tail}`);
      await wholeAnswer(socket);
      times.push(performance.now() - askedAt);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = (performance.now() - startedAt) / 1000;
  times.sort((a, b) => a - b);
  const share = (part: number): number => times[Math.floor((times.length - 1) * part)] ?? Number.NaN;
  return {
    requestsPerSecond: times.length / seconds,
    p50Ms: share(0.5),
    p99Ms: share(0.99),
    maxMs: share(1),
  };
}
