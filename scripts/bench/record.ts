import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";

/** One kind of request whose answer the yardstick repeats. */
export interface BenchCase {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly expectedStatus: number;
}

/** Asks the gateway each case once and writes what the bare server needs to give the same answers; returns the file. */
export async function recordAnswers(
  url: string,
  cases: readonly BenchCase[],
  folder: string,
): Promise<string> {
  const recordings: Record<string, unknown> = {};
  for (const { name, path, headers, expectedStatus } of cases) {
    let answer = await ask(`${url}${path}`, headers);
    // A limit has to be used up first.
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

/** Node adds these to every answer by itself, the yardstick's included. */
const addedByNode = new Set(["date", "connection", "keep-alive"]);

function ask(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly headers: string[]; readonly body: Buffer }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers: { ...headers }, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const kept: string[] = [];
        for (let at = 0; at < response.rawHeaders.length; at += 2) {
          const [name = "", value = ""] = response.rawHeaders.slice(at, at + 2);
          if (!addedByNode.has(name.toLowerCase())) kept.push(name, value);
        }
        resolve({ status: response.statusCode ?? 0, headers: kept, body: Buffer.concat(chunks) });
      });
    });
    outgoing.on("error", reject).end();
  });
}
