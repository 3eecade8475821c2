// The attacker of `bench:neighbours`, in a thread of its own so that it does not delay the clients that are
// measured.
import { type ClientRequest, request } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

/** Requests that are sent at once, each over a connection of its own. */
export interface Burst {
  readonly url: string;
  readonly token: string;
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the client stops reading an answer after its first bytes. */
  readonly isSlow: boolean;
}

/** The answers by status, `cut` for those that broke off, when the thread is told to end. */
export type BurstResult = Readonly<Record<string, number>>;

const { url, token, paths, headers, isSlow } = workerData as Burst;
const results: Record<string, number> = {};
const under: ClientRequest[] = [];

function note(result: string | number | undefined): void {
  results[String(result)] = (results[String(result)] ?? 0) + 1;
}

for (const path of paths) {
  const asked = request(url + path, {
    agent: false,
    headers: { ...headers, authorization: `Bearer ${token}` },
  });
  asked.on("response", (answer) => {
    answer.on("error", () => {});
    if (isSlow && answer.statusCode === 200) {
      note(answer.statusCode);
      answer.once("data", () => answer.pause());
    } else {
      answer.resume();
      answer.once("close", () => note(answer.complete ? answer.statusCode : "cut"));
    }
  });
  asked.on("error", () => note("refused"));
  asked.end();
  under.push(asked);
}

parentPort?.once("message", () => {
  parentPort?.postMessage(results satisfies BurstResult);
  for (const asked of under) asked.destroy();
  parentPort?.close();
});
