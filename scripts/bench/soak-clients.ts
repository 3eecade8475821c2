import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isGood, type SoakToken, type SoakWorld } from "./soak-world.ts";

/** What the clients saw. */
export interface SoakTally {
  /** Answers by status. */
  readonly statuses: Record<number, number>;
  /** The digests of the bodies that each path of each snapshot had: `<snapshot id> <path> <digest>`. */
  readonly bodies: Set<string>;
  /** Clients that went away in the middle of an answer. */
  left: number;
  /** Connections that ended before the whole answer came, though the client had not left. */
  cuts: number;
  /** Descriptions of wrong answers. */
  readonly wrong: string[];
  /** The longest time for which a revoked token was still accepted. */
  worstRevocationMs: number;
}

export interface SoakClient {
  readonly urls: readonly string[];
  readonly world: SoakWorld;
  /** The paths of some programs of each tenant. */
  readonly paths: Readonly<Record<string, readonly string[]>>;
  readonly tally: SoakTally;
  /** Whether the store is broken now, or was within the last moments. */
  readonly isDisturbed: () => boolean;
  readonly isOver: () => boolean;
}

/** The paths that every tenant has, with the right status. */
const commonPaths: Readonly<Record<string, number>> = {
  "/v1/programs": 200,
  "/api/v1/partner/programs": 200,
  "/v1/programs/none": 404,
  "/v1/programs/%zz": 400,
  "/v1/nothing": 404,
};

/** One client that asks, without pause, for everything that a partner, a mistake or a scanner asks for. */
export async function runClient(client: SoakClient): Promise<void> {
  const { urls, world, paths, tally, isOver } = client;
  while (!isOver()) {
    const token = pick(Math.random() < 0.9 ? world.tokens.filter(isGood) : world.tokens);
    if (Math.random() < 0.02) {
      tally.left += 1;
      const leaving = AbortSignal.timeout(Math.ceil(Math.random() * 5));
      await ask(`${pick(urls)}/v1/programs`, token, leaving).catch(() => {});
    } else {
      const asked = [...Object.keys(commonPaths), ...(paths[token.tenantId] ?? [])];
      await askAndJudge(client, pick(urls), pick(asked), token);
    }
  }
}

/** Takes a large list in sips, and is cut now and then. */
export async function readSlowly({ urls, world, isOver }: SoakClient): Promise<void> {
  while (!isOver()) {
    const headers = {
      authorization: `Bearer ${pick(world.tokens).plaintext}`,
      "accept-encoding": "identity",
    };
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
    const answer = await ask(url + path, token);
    tally.statuses[answer.status] = (tally.statuses[answer.status] ?? 0) + 1;
    if (answer.status === 200) tally.bodies.add(`${answer.snapshotId} ${path} ${answer.sha256}`);
    const fault = faultOf(client, path, token, sentAtMs, answer.status, wasDisturbed || isDisturbed());
    if (fault !== undefined) tally.wrong.push(`${path}: ${fault}`);
  } catch {
    tally.cuts += 1;
    // Only a stream that breaks after its beginning may be cut.
    if (!wasDisturbed && !isDisturbed()) tally.wrong.push(`${path} was cut`);
  }
}

interface Answer {
  readonly status: number;
  readonly snapshotId: string;
  readonly sha256: string;
}

async function ask(url: string, { plaintext }: SoakToken, signal?: AbortSignal): Promise<Answer> {
  const coding = Math.random() < 0.5 ? "gzip" : "identity";
  const headers = { authorization: `Bearer ${plaintext}`, "accept-encoding": coding };
  const answer = await fetch(url, { headers, signal: signal ?? null });
  const sha256 = createHash("sha256")
    .update(Buffer.from(await answer.arrayBuffer()))
    .digest("hex");
  return { status: answer.status, snapshotId: answer.headers.get("snapshot-id") ?? "", sha256 };
}

/** Why the answer's status is wrong; `undefined` when it is right. Bodies are compared at the end. */
function faultOf(
  { tally }: SoakClient,
  path: string,
  token: SoakToken,
  sentAtMs: number,
  status: number,
  isDisturbed: boolean,
): string | undefined {
  const wanted = commonPaths[path] ?? 200;
  if (path === "/v1/nothing") return status === wanted ? undefined : `${status} for an unknown path`;
  if (status === 500) return isDisturbed ? undefined : "500 without a disturbance";
  if (status === 401) {
    const ageMs = sentAtMs - token.issuedAtMs;
    const isDue = token.isEnding || isDisturbed || ageMs < 1000;
    return isDue ? undefined : `401 for a token issued ${Math.round(ageMs)} ms before`;
  }
  const sinceMs = sentAtMs - token.revokedAtMs;
  if (sinceMs > 0 && !isDisturbed) {
    tally.worstRevocationMs = Math.max(tally.worstRevocationMs, sinceMs);
    if (sinceMs > 1000) return `${status} for a token revoked ${Math.round(sinceMs)} ms before`;
  }
  return status === wanted ? undefined : `${status} instead of ${wanted}`;
}

export function pick<Item>(items: readonly Item[]): Item {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}
