import { createProgramsClient, stateFile } from "../../docs/client/programs-client.ts";
import { createPythonClient, hasPython, type PollingClient, type PollingOptions } from "./python-client.ts";

export type { PollingClient, PollingOptions } from "./python-client.ts";

/** The clients that partners copy: language, how to make one, and whether this machine can run it. */
export const pollingClients = [
  [
    "TypeScript",
    (options) => createProgramsClient({ askAgainMs: 0, ...options, state: stateFile(options.state) }),
    true,
  ],
  ["Python", createPythonClient, hasPython],
] as const satisfies readonly (readonly [string, (options: PollingOptions) => PollingClient, boolean])[];
