import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { wholeAnswer } from "./whole-answer.ts";

/** The number of a request, when it was due, and how long after that its answer was there. */
export interface SteadyAnswer {
  readonly at: number;
  readonly dueMs: number;
  readonly tookMs: number;
}

/**
 * Asks a server of this machine for a path at fixed intervals, whether or not the answers before are there (an open loop): what
 * waits for a connection, or for this program's own turn, counts from when it was due. Gives all answers, times by
 * `performance.now()`.
 */
export async function steadyLoad(
  url: string,
  headers: Readonly<Record<string, string>>,
  load: {
    readonly perSecond: number;
    readonly seconds: number;
    readonly connections: number;
    readonly path: (at: number) => string;
  },
): Promise<SteadyAnswer[]> {
  const { port, host } = new URL(url);
  const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const tail = ` HTTP/1.1\r\n${lines.join("")}\r\n`;
  const idle: Socket[] = [];
  for (let at = 0; at < load.connections; at += 1) {
    const socket = connect(Number(port), "127.0.0.1").setNoDelay(true);
    await once(socket, "connect");
    idle.push(socket);
  }
  const sockets = [...idle];
  const waiting: (() => void)[] = [];
  const answers: SteadyAnswer[] = [];

  async function ask(at: number, dueMs: number): Promise<void> {
    if (idle.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    const socket = idle.pop();
    if (socket === undefined) throw new Error("no connection");
    socket.write(`GET ${load.path(at)}${tail}`);
    await wholeAnswer(socket);
    answers.push({ at, dueMs, tookMs: performance.now() - dueMs });
    idle.push(socket);
    waiting.shift()?.();
  }

  const startedAt = performance.now();
  const asked: Promise<void>[] = [];
  for (let at = 0; at < load.perSecond * load.seconds; at += 1) {
    const dueMs = startedAt + (at * 1000) / load.perSecond;
    while (performance.now() < dueMs) await delay(1);
    asked.push(ask(at, dueMs));
  }
  await Promise.all(asked);
  for (const socket of sockets) socket.destroy();
  return answers;
}
