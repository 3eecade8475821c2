import { once } from "node:events";
import { Agent, request } from "node:http";

/** What asking for each path once measured. */
export interface OnceEach {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/**
 * Asks a server of this machine for each path once, over so many connections. Throws unless every answer is a
 * whole 200.
 */
export async function onceEach(
  url: string,
  headers: Readonly<Record<string, string>>,
  paths: readonly string[],
  connections: number,
): Promise<OnceEach> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const queue = paths[Symbol.iterator]();
  const times: number[] = [];
  const startedAt = performance.now();
  const worker = async (): Promise<void> => {
    for (const path of queue) {
      const askedAt = performance.now();
      const asked = request(new URL(path, url), { agent, headers: { ...headers } }).end();
      const [answer] = await once(asked, "response");
      if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode}`);
      answer.resume();
      await once(answer, "end");
      if (!answer.complete) throw new Error(`${path} was cut`);
      times.push(performance.now() - askedAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = (performance.now() - startedAt) / 1000;
  agent.destroy();
  times.sort((a, b) => a - b);
  const share = (part: number): number => times[Math.floor((times.length - 1) * part)] ?? Number.NaN;
  return { requestsPerSecond: times.length / seconds, p50Ms: share(0.5), p99Ms: share(0.99) };
}
