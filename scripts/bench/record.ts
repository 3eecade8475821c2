import { writeFileSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";

/** A request whose answer the bare server repeats. */
export interface BenchCase {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly expectedStatus: number;
}

/**
 * Sends each case to the gateway once, and writes a file of the answers for the bare server. Returns the
 * file's path.
 */
export async function recordAnswers(
  url: string,
  cases: readonly BenchCase[],
  folder: string,
): Promise<string> {
  const recordings: Record<string, unknown> = {};
  for (const { name, path, headers, expectedStatus } of cases) {
    let answer = await ask(`${url}${path}`, headers);
    // The quota has to be used up first.
    if (expectedStatus === 429) answer = await ask(`${url}${path}`, headers);
    if (answer.status !== expectedStatus)
      throw new Error(`${name}: expected ${expectedStatus}, got ${answer.status}`);
    const bodyPath = join(folder, `${name}.body`);
    writeFileSync(bodyPath, answer.body);
    recordings[name] = { status: answer.status, headers: answer.headers, bodyPath };
  }
  const path = join(folder, "recordings.json");
  writeFileSync(path, JSON.stringify(recordings));
  return path;
}

/** Node adds these headers to every answer by itself, also to those of the bare server. */
const addedByNode = ["date", "connection", "keep-alive"];

async function ask(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly headers: string[]; readonly body: Buffer }> {
  const agent = new Agent({ keepAlive: true });
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { headers: { ...headers }, agent }, resolve)
      .on("error", reject)
      .end();
  });
  const body = await buffer(answer);
  agent.destroy();
  const kept: string[] = [];
  for (let at = 0; at < answer.rawHeaders.length; at += 2) {
    const [name = "", value = ""] = answer.rawHeaders.slice(at, at + 2);
    if (!addedByNode.includes(name.toLowerCase())) kept.push(name, value);
  }
  return { status: answer.statusCode ?? 0, headers: kept, body };
}
