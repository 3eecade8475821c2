import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { SoakToken } from "./soak-world.ts";

export interface SoakClient {
  readonly urls: readonly string[];
  readonly tokens: readonly SoakToken[];
  /** The paths of some programs of each tenant. */
  readonly paths: Readonly<Record<string, readonly string[]>>;
  readonly tally: SoakTally;
  /** Whether the store is broken now, or was within the last moments. */
  readonly isDisturbed: () => boolean;
  readonly isOver: () => boolean;
}

/** What the clients saw. */
export interface SoakTally {
  /** Answers by status. */
  readonly statuses: Record<number, number>;
  /** The digests of the bodies that each path of each snapshot had: `<snapshot id> <path> <digest>`. */
  readonly bodies: Set<string>;
  /** Connections that ended before the whole answer came. */
  cuts: number;
  /** Descriptions of wrong answers. */
  readonly wrong: string[];
}

/** The paths that every tenant has, with the right status. */
const commonPaths: Readonly<Record<string, number>> = {
  "/v1/programs": 200,
  "/api/v1/partner/programs": 200,
  "/v1/programs/none": 404,
};

/** Gateways may take this long to learn of a token, or of its end. */
const learningMs = 1000;

/** One client that asks without pause, and goes away now and then in the middle of an answer. */
export async function runClient(client: SoakClient): Promise<void> {
  const { urls, tokens, paths, isOver } = client;
  while (!isOver()) {
    const token = pick(tokens);
    const path = pick([...Object.keys(commonPaths), ...(paths[token.tenantId] ?? [])]);
    if (Math.random() > 0.02) await askAndJudge(client, pick(urls), path, token);
    else
      await ask(pick(urls) + path, token, AbortSignal.timeout(Math.ceil(Math.random() * 5))).catch(() => {});
  }
}

/** Takes a large list in sips, and is cut now and then. */
export async function readSlowly({ urls, tokens, isOver }: SoakClient): Promise<void> {
  while (!isOver()) {
    const headers = { authorization: `Bearer ${pick(tokens).plaintext}`, "accept-encoding": "identity" };
    try {
      const { body } = await fetch(`${pick(urls)}/v1/programs`, { headers });
      let sips = 0;
      for await (const _ of body ?? []) {
        sips += 1;
        if (sips === 50 || isOver()) break;
        await sleep(100);
      }
    } catch {
      // This is the cut.
    }
  }
}

async function askAndJudge(client: SoakClient, url: string, path: string, token: SoakToken): Promise<void> {
  const { tally, isDisturbed } = client;
  const sentAtMs = performance.now();
  const wasDisturbed = isDisturbed();
  try {
    const { status, body } = await ask(url + path, token);
    tally.statuses[status] = (tally.statuses[status] ?? 0) + 1;
    if (status === 200) tally.bodies.add(body.replace(" ", ` ${path} `));
    const right = rightStatuses(path, token, sentAtMs, wasDisturbed || isDisturbed());
    if (!right.includes(status)) tally.wrong.push(`${path}: ${status} instead of ${right.join(" or ")}`);
  } catch {
    tally.cuts += 1;
    // Only a stream that breaks after its beginning may be cut.
    if (!wasDisturbed && !isDisturbed()) tally.wrong.push(`${path} was cut`);
  }
}

/** The status of an answer, and `<snapshot id> <digest>` of its body. */
async function ask(
  url: string,
  { plaintext }: SoakToken,
  signal: AbortSignal | null = null,
): Promise<{ readonly status: number; readonly body: string }> {
  const coding = Math.random() < 0.5 ? "gzip" : "identity";
  const headers = { authorization: `Bearer ${plaintext}`, "accept-encoding": coding };
  const answer = await fetch(url, { headers, signal });
  const sha256 = createHash("sha256").update(Buffer.from(await answer.arrayBuffer()));
  return { status: answer.status, body: `${answer.headers.get("snapshot-id")} ${sha256.digest("hex")}` };
}

function rightStatuses(
  path: string,
  { issuedAtMs, endingAtMs, endedAtMs }: SoakToken,
  sentAtMs: number,
  isDisturbed: boolean,
): readonly number[] {
  const found = commonPaths[path] ?? 200;
  if (isDisturbed) return [found, 401, 500];
  if (sentAtMs > endedAtMs + learningMs) return [401];
  const mayBeRefused = sentAtMs < issuedAtMs + learningMs || performance.now() > endingAtMs;
  return mayBeRefused ? [found, 401] : [found];
}

export function pick<Item>(items: readonly Item[]): Item {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}
