import { once } from "node:events";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** What a neighbour of an attacker is asked for, and how to see how old its snapshot is. */
export interface Victim {
  readonly url: string;
  readonly admin: string;
  readonly token: string;
  readonly tenant: string;
  /** A detail that is in the gateway's memory. */
  readonly warm: string;
  /** Details that nobody has asked for, each of which is used once. */
  readonly cold: Iterator<string>;
  /** Reads a small document of the store past the gateway. */
  readonly readStore: () => Promise<unknown>;
}

/** What a victim saw in some seconds. */
export interface Seen {
  readonly warmMs: readonly number[];
  readonly coldMs: readonly number[];
  /** How long the store itself took for a small document, while it served the attacker. */
  readonly storeMs: readonly number[];
  /** Answers other than 200, warm or cold. */
  readonly foreign: number;
  /** The largest age of the victim's snapshot. */
  readonly stalenessMs: number;
}

/**
 * Asks for a warm detail every 5 ms and for a cold one every 25 ms, each when the one before was answered.
 */
export async function seenFor(ms: number, victim: Victim): Promise<Seen> {
  const agent = new Agent({ keepAlive: true });
  const endAtMs = performance.now() + ms;
  const seen = {
    warmMs: [] as number[],
    coldMs: [] as number[],
    storeMs: [] as number[],
    foreign: 0,
    stalenessMs: 0,
  };
  const repeatedly = async (everyMs: number, once: () => Promise<void>): Promise<void> => {
    while (performance.now() < endAtMs) {
      await once();
      await sleep(everyMs);
    }
  };
  const ask = async (path: string, times: number[]): Promise<void> => {
    const askedAtMs = performance.now();
    const status = await statusOf(victim, path, agent);
    times.push(performance.now() - askedAtMs);
    if (status !== 200) seen.foreign += 1;
  };
  await Promise.all([
    repeatedly(5, () => ask(victim.warm, seen.warmMs)),
    repeatedly(25, async () => {
      const next = victim.cold.next();
      if (next.done !== true) await ask(next.value, seen.coldMs);
    }),
    repeatedly(25, async () => {
      const askedAtMs = performance.now();
      await victim.readStore();
      seen.storeMs.push(performance.now() - askedAtMs);
    }),
    repeatedly(100, async () => {
      seen.stalenessMs = Math.max(seen.stalenessMs, await snapshotAgeMs(victim));
    }),
  ]);
  agent.destroy();
  return seen;
}

async function statusOf({ url, token }: Victim, path: string, agent: Agent): Promise<number> {
  const asked = request(url + path, { agent, headers: { authorization: `Bearer ${token}` } }).end();
  const [answer] = await once(asked, "response");
  answer.resume();
  await once(answer, "end");
  return answer.statusCode;
}

async function snapshotAgeMs({ admin, tenant }: Victim): Promise<number> {
  const text = await (await fetch(`${admin}/metrics`)).text();
  const [, seconds] =
    new RegExp(`^gateway_snapshot_age_seconds{tenant="${tenant}"} (.*)$`, "m").exec(text) ?? [];
  return Number(seconds ?? Number.NaN) * 1000;
}
