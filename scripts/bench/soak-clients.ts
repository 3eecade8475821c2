import { createHash } from "node:crypto";
import { Agent, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { isGood, programsPerTenant, type SoakToken, type SoakWorld } from "./soak-world.ts";

/** What the clients saw. */
export interface SoakTally {
  /** Answers by status. */
  readonly statuses: Map<number, number>;
  aborts: number;
  /** Connections that ended before the whole answer came, though the client had not left. */
  cuts: number;
  /** Descriptions of wrong answers, at most the first 20. */
  readonly wrong: string[];
  wrongs: number;
  /** The longest time for which a revoked token was still accepted, and a new one not yet. */
  worstRevocationMs: number;
  worstIssueMs: number;
}

export function createTally(): SoakTally {
  return {
    statuses: new Map(),
    aborts: 0,
    cuts: 0,
    wrong: [],
    wrongs: 0,
    worstRevocationMs: 0,
    worstIssueMs: 0,
  };
}

export interface SoakClientOptions {
  readonly urls: readonly string[];
  readonly world: SoakWorld;
  readonly tally: SoakTally;
  /** Whether the store is broken now, or was within the last moments. */
  readonly isDisturbed: () => boolean;
  readonly isOver: () => boolean;
}

/** One client that asks, without pause, for everything that a partner, a mistake or a scanner asks for. */
export async function runClient(options: SoakClientOptions): Promise<void> {
  const { urls, world, isOver } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  while (!isOver()) {
    const good = world.tokens.filter(isGood);
    const token = pick(Math.random() < 0.9 ? good : world.tokens);
    const url = pick(urls);
    if (Math.random() < 0.02) await leaveEarly(options, url, token);
    else await askAndJudge(options, agent, url, token);
  }
  agent.destroy();
}

async function askAndJudge(
  options: SoakClientOptions,
  agent: Agent,
  url: string,
  token: SoakToken,
): Promise<void> {
  const { tally, isDisturbed } = options;
  const path = pick(paths);
  const sentAtMs = performance.now();
  const isDisturbedBefore = isDisturbed();
  let answer: Answer;
  try {
    answer = await ask(agent, `${url}${path}`, token.plaintext);
  } catch {
    tally.cuts += 1;
    // Only a stream that breaks after its beginning may be cut.
    if (!isDisturbedBefore && !isDisturbed()) wrong(tally, `${path} was cut`);
    return;
  }
  tally.statuses.set(answer.status, (tally.statuses.get(answer.status) ?? 0) + 1);
  const fault = judge(options, {
    path,
    token,
    sentAtMs,
    answer,
    isDisturbed: isDisturbedBefore || isDisturbed(),
  });
  if (fault !== undefined) wrong(tally, `${path}: ${fault}`);
}

/** Why the answer is wrong; `undefined` when it is right. */
function judge(
  { world, tally }: SoakClientOptions,
  seen: {
    readonly path: string;
    readonly token: SoakToken;
    readonly sentAtMs: number;
    readonly answer: Answer;
    readonly isDisturbed: boolean;
  },
): string | undefined {
  const { path, token, sentAtMs, answer, isDisturbed } = seen;
  if (path === "/v1/nothing")
    return answer.status === 404 ? undefined : `${answer.status} for an unknown path`;
  if (answer.status === 500) return isDisturbed ? undefined : "500 without a disturbance";
  if (answer.status === 401) {
    if (token.isEnding) return undefined;
    const ageMs = sentAtMs - token.issuedAtMs;
    if (!isDisturbed) tally.worstIssueMs = Math.max(tally.worstIssueMs, ageMs);
    return isDisturbed || ageMs < 1000 ? undefined : `401 for a token issued ${Math.round(ageMs)} ms before`;
  }
  const sinceMs = sentAtMs - token.revokedAtMs;
  if (sinceMs > 0 && !isDisturbed) {
    tally.worstRevocationMs = Math.max(tally.worstRevocationMs, sinceMs);
    if (sinceMs > 1000) return `${answer.status} for a token revoked ${Math.round(sinceMs)} ms before`;
  }
  if (path.endsWith("/none")) return answer.status === 404 ? undefined : `${answer.status} for an unknown id`;
  if (path.endsWith("/%zz"))
    return answer.status === 400 ? undefined : `${answer.status} for an ill-formed id`;
  if (answer.status !== 200) return `${answer.status}`;
  const expected = world.expected(answer.snapshotId, path);
  // A snapshot is noted when its pointer is written, which a gateway may see first.
  if (expected === undefined) return "a snapshot that was never published";
  return expected === answer.sha256 ? undefined : `other bytes than those of snapshot ${answer.snapshotId}`;
}

/** Asks for something large and goes away in the middle of it, sometimes before the first byte. */
function leaveEarly({ tally }: SoakClientOptions, url: string, token: SoakToken): Promise<void> {
  tally.aborts += 1;
  return new Promise((resolve) => {
    const req = request(
      `${url}/v1/programs`,
      { headers: { Authorization: `Bearer ${token.plaintext}` } },
      (res) => {
        res.once("data", () => req.destroy());
        res.once("end", () => req.destroy());
        res.on("error", () => {});
      },
    );
    if (Math.random() < 0.3) setTimeout(() => req.destroy(), Math.random() * 5);
    req.on("error", () => {});
    req.once("close", () => resolve());
    req.end();
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
  const res = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { agent, headers }, resolve).on("error", reject).end();
  });
  const received = await buffer(res);
  const body = res.headers["content-encoding"] === "gzip" ? gunzipSync(received) : received;
  return {
    status: res.statusCode ?? 0,
    snapshotId: String(res.headers["snapshot-id"] ?? ""),
    sha256: createHash("sha256").update(body).digest("hex"),
  };
}

const paths: readonly string[] = [
  ...Array.from({ length: programsPerTenant }, (_, at) => `/v1/programs/p${at}`),
  "/v1/programs",
  "/v1/programs",
  "/api/v1/partner/programs",
  "/v1/programs/none",
  "/v1/programs/%zz",
  "/v1/nothing",
];

function wrong(tally: SoakTally, text: string): void {
  tally.wrongs += 1;
  if (tally.wrong.length < 20) tally.wrong.push(text);
}

export function pick<Item>(items: readonly Item[]): Item {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}
