import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { SyncResult } from "../../docs/client/programs-client.ts";
import { run } from "./partner-tools.ts";

/** What the clients of all languages have in common. */
export interface PollingClient {
  sync(): Promise<SyncResult>;
}

/** Whether this machine can run the client in Python. */
export const hasPython = spawnSync("python3", ["--version"]).status === 0;

const folder = fileURLToPath(new URL("../../docs/client/", import.meta.url));
const program = `
import json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import programs_client
o = json.loads(sys.argv[2])
try:
    client = programs_client.ProgramsClient(o["baseUrl"], o["token"], o["state"],
        refresh_per_poll=o["refreshPerPoll"], max_attempts=o["maxAttempts"])
    print(json.dumps(vars(client.sync())))
except (programs_client.ProgramsApiError, ValueError) as error:
    sys.exit(str(error))
`;

/** The client in Python; each poll is a process of its own, which finds the last one's state. */
export function createPythonClient(options: object): PollingClient {
  return {
    async sync() {
      const { status, output } = await run("python3", ["-c", program, folder, JSON.stringify(options)], ".");
      if (status !== 0) throw new Error(output);
      const result = JSON.parse(output);
      return {
        ...result,
        programs: new Map(Object.entries(result.programs)),
        snapshotId: result.snapshot_id,
        waitingForRefresh: result.waiting_for_refresh,
      };
    },
  };
}
