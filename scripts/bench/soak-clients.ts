import { createHash } from "node:crypto";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { isGood, programsPerTenant, type SoakToken, type SoakWorld } from "./soak-world.ts";

/** What the clients saw. */
export interface SoakTally {
  /** Answers by status. */
  readonly statuses: Record<number, number>;
  /** Clients that went away in the middle of an answer. */
  left: number;
  /** Connections that ended before the whole answer came, though the client had not left. */
  cuts: number;
  /** Descriptions of wrong answers. */
  readonly wrong: string[];
  /** The longest time for which a revoked token was still accepted, and a new one not yet. */
  worstRevocationMs: number;
  worstIssueMs: number;
}

export interface SoakClient {
  readonly urls: readonly string[];
  readonly world: SoakWorld;
  readonly tally: SoakTally;
  /** Whether the store is broken now, or was within the last moments. */
  readonly isDisturbed: () => boolean;
  readonly isOver: () => boolean;
}

/** One client that asks, without pause, for everything that a partner, a mistake or a scanner asks for. */
export async function runClient(client: SoakClient): Promise<void> {
  const { urls, world, isOver } = client;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  while (!isOver()) {
    const token = pick(Math.random() < 0.9 ? world.tokens.filter(isGood) : world.tokens);
    if (Math.random() < 0.02) await leaveEarly(client, token);
    else await askAndJudge(client, agent, pick(urls) + pick(paths), token);
  }
  agent.destroy();
}

/** Takes a large list in sips, and is cut now and then. */
export async function readSlowly({ urls, world, isOver }: SoakClient): Promise<void> {
  while (!isOver()) {
    const { hostname, port } = new URL(pick(urls));
    const socket = connect({ host: hostname, port: Number(port) }).on("error", () => {});
    const token = pick(world.tokens).plaintext;
    socket.write(`GET /v1/programs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    for (let sip = 0; sip < 50 && !socket.destroyed && !isOver(); sip += 1) {
      await sleep(100);
      socket.read(16 * 1024);
    }
    socket.destroy();
  }
}

async function askAndJudge(client: SoakClient, agent: Agent, url: string, token: SoakToken): Promise<void> {
  const { tally, isDisturbed } = client;
  const { pathname } = new URL(url);
  const sentAtMs = performance.now();
  const wasDisturbed = isDisturbed();
  try {
    const answer = await ask(agent, url, token.plaintext);
    tally.statuses[answer.status] = (tally.statuses[answer.status] ?? 0) + 1;
    const fault = faultOf(client, pathname, token, sentAtMs, answer, wasDisturbed || isDisturbed());
    if (fault !== undefined) tally.wrong.push(`${pathname}: ${fault}`);
  } catch {
    tally.cuts += 1;
    // Only a stream that breaks after its beginning may be cut.
    if (!wasDisturbed && !isDisturbed()) tally.wrong.push(`${pathname} was cut`);
  }
}

/** Why the answer is wrong; `undefined` when it is right. */
function faultOf(
  { world, tally }: SoakClient,
  path: string,
  token: SoakToken,
  sentAtMs: number,
  { status, snapshotId, sha256 }: Answer,
  isDisturbed: boolean,
): string | undefined {
  const wanted = statusOf[path] ?? 200;
  if (path === "/v1/nothing") return status === wanted ? undefined : `${status} for an unknown path`;
  if (status === 500) return isDisturbed ? undefined : "500 without a disturbance";
  if (status === 401) {
    if (token.isEnding) return undefined;
    const ageMs = sentAtMs - token.issuedAtMs;
    if (!isDisturbed) tally.worstIssueMs = Math.max(tally.worstIssueMs, ageMs);
    return isDisturbed || ageMs < 1000 ? undefined : `401 for a token issued ${Math.round(ageMs)} ms before`;
  }
  const sinceMs = sentAtMs - token.revokedAtMs;
  if (sinceMs > 0 && !isDisturbed) {
    tally.worstRevocationMs = Math.max(tally.worstRevocationMs, sinceMs);
    if (sinceMs > 1000) return `${status} for a token revoked ${Math.round(sinceMs)} ms before`;
  }
  if (status !== wanted) return `${status} instead of ${wanted}`;
  if (status !== 200) return undefined;
  const expected = world.expected(snapshotId, path);
  // A snapshot is noted when its pointer is written, which a gateway may see first.
  if (expected === undefined) return "a snapshot that was never published";
  return expected === sha256 ? undefined : `other bytes than those of snapshot ${snapshotId}`;
}

/** Asks for something large and goes away in the middle of it, sometimes before the first byte. */
function leaveEarly({ tally, urls }: SoakClient, token: SoakToken): Promise<void> {
  tally.left += 1;
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${token.plaintext}` };
    const asked = request(`${pick(urls)}/v1/programs`, { headers }, (answer) => {
      answer.once("data", () => asked.destroy()).once("end", () => asked.destroy());
      answer.on("error", () => {});
    });
    if (Math.random() < 0.3) setTimeout(() => asked.destroy(), Math.random() * 5);
    asked.on("error", () => {}).once("close", () => resolve());
    asked.end();
  });
}

interface Answer {
  readonly status: number;
  readonly snapshotId: string;
  readonly sha256: string;
}

async function ask(agent: Agent, url: string, token: string): Promise<Answer> {
  const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
  if (Math.random() < 0.5) headers["Accept-Encoding"] = "gzip";
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { agent, headers }, resolve).on("error", reject).end();
  });
  const received = await buffer(answer);
  const body = answer.headers["content-encoding"] === "gzip" ? gunzipSync(received) : received;
  const snapshotId = String(answer.headers["snapshot-id"] ?? "");
  return {
    status: answer.statusCode ?? 0,
    snapshotId,
    sha256: createHash("sha256").update(body).digest("hex"),
  };
}

/** The paths that are no 200. */
const statusOf: Readonly<Record<string, number>> = {
  "/v1/programs/none": 404,
  "/v1/programs/%zz": 400,
  "/v1/nothing": 404,
};

const paths: readonly string[] = [
  ...Array.from({ length: programsPerTenant }, (_, at) => `/v1/programs/p${at}`),
  "/v1/programs",
  "/v1/programs",
  "/api/v1/partner/programs",
  ...Object.keys(statusOf),
];

export function pick<Item>(items: readonly Item[]): Item {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}
