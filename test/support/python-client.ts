import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Call, SyncResult, Update } from "../../docs/client/programs-client.ts";

/** What the clients of all languages have in common. */
export interface PollingClient {
  sync(): Promise<SyncResult>;
}

export interface PollingOptions {
  readonly baseUrl: string;
  readonly token: string;
  /** The file that keeps the copy. */
  readonly state: string;
  readonly refreshPerPoll: number;
  readonly maxAttempts: number;
  readonly askAgainMs?: number;
  readonly timeoutMs?: number;
  readonly detailsPerPoll?: number;
  readonly listEveryMs?: number;
  readonly onUpdate?: (update: Update) => void;
  readonly onCall?: (call: Call) => void;
}

/** Whether this machine can run the client in Python. */
export const hasPython = spawnSync("python3", ["--version"]).status === 0;

const folder = fileURLToPath(new URL("../../docs/client/", import.meta.url));
/**
 * Prints a line of JSON for each update and call, and one for the result; a line on its input means that the
 * update is taken.
 */
const program = `
import json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import programs_client
o = json.loads(sys.argv[2])
def say(kind, one):
    print(json.dumps({kind: vars(one)}, default=lambda part: float(part) if hasattr(part, "as_tuple") else vars(part)), flush=True)
def on_update(update):
    say("update", update)
    if sys.stdin.readline() != "taken\\n":
        raise ValueError("not taken")
try:
    client = programs_client.ProgramsClient(o["baseUrl"], o["token"], o["state"],
        refresh_per_poll=o["refreshPerPoll"], ask_again_s=o.get("askAgainMs", 0) / 1000, timeout_s=o.get("timeoutMs", 30_000) / 1000, max_attempts=o["maxAttempts"],
        details_per_poll=o.get("detailsPerPoll"), list_every_s=o.get("listEveryMs", 120_000) / 1000,
        on_update=on_update if o["hasUpdates"] else None,
        on_call=(lambda call: say("call", call)) if o["hasCalls"] else None)
    say("result", client.sync())
except (programs_client.ProgramsApiError, programs_client.CopyInUseError, ValueError) as error:
    sys.exit(str(error))
`;

export function spawnPython(told: object): ChildProcessWithoutNullStreams {
  return spawn("python3", ["-c", program, folder, JSON.stringify(told)]);
}

/** The client in Python; each poll is a process of its own, which finds the last one's state. */
export function createPythonClient({ onUpdate, onCall, ...options }: PollingOptions): PollingClient {
  const told = { ...options, hasUpdates: onUpdate !== undefined, hasCalls: onCall !== undefined };
  return {
    async sync() {
      const child = spawnPython(told);
      const ended = once(child, "close");
      let [failure, result]: [string, SyncResult | undefined] = ["", undefined];
      child.stderr.setEncoding("utf8").on("data", (text) => (failure += text));
      for await (const line of createInterface({ input: child.stdout })) {
        const said: Said = JSON.parse(line);
        if (said.call !== undefined) onCall?.({ ...said.call, requestId: said.call.request_id, ms: 0 });
        if (said.result !== undefined) result = asResult(said.result);
        if (said.update !== undefined) {
          const isTaken = taken(() => onUpdate?.(asResult(said.update)));
          child.stdin.write(isTaken ? "taken\n" : "not\n");
        }
      }
      const [status] = await ended;
      if (status !== 0 || result === undefined) throw new Error(failure);
      return result;
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: what the program above prints.
type Said = any;

function asResult(said: Said): SyncResult {
  return {
    ...said,
    programs: new Map(Object.entries(said.programs)),
    failed: new Map(Object.entries(said.failed ?? {})),
    snapshotId: said.snapshot_id,
    waitingForRefresh: said.waiting_for_refresh,
    detailsLeft: said.details_left,
    secondsLeft: said.seconds_left,
  };
}

function taken(take: () => void): boolean {
  try {
    take();
    return true;
  } catch {
    return false;
  }
}
