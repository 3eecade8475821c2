import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { pathToFileURL } from "node:url";
import { projectRoot } from "./markdown.ts";
import { hasPython, type PollingOptions, spawnPython } from "./python-client.ts";

/**
 * What a poll in a process of its own is told with: it writes each update as a line of JSON, and waits for a
 * line.
 */
export type StartPoll = (options: Omit<PollingOptions, "onUpdate" | "onCall">) => ChildProcess;

const program = `
import { createInterface } from "node:readline";
const [module, text] = process.argv.slice(1);
const { createProgramsClient, stateFile } = await import(module);
const options = JSON.parse(text);
const taken = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const onUpdate = async ({ programs, ...ids }) => {
  console.log(JSON.stringify({ update: { ...ids, programs: Object.fromEntries(programs) } }));
  await taken.next();
};
await createProgramsClient({ askAgainMs: 0, ...options, state: stateFile(options.state), onUpdate }).sync();
process.exit(0);
`;

function spawnJavaScript(options: object): ChildProcess {
  const module = pathToFileURL(`${projectRoot}/dist/docs/client/programs-client.js`).href;
  const args = ["--input-type=module", "-e", program, module, JSON.stringify(options)];
  return spawn(process.execPath, args);
}

/** The clients as partners run them: language, how to start one poll, and whether this machine can. */
export const pollingProcesses = [
  ["JavaScript", spawnJavaScript, true],
  ["Python", (options) => spawnPython({ ...options, hasUpdates: true, hasCalls: false }), hasPython],
] as const satisfies readonly (readonly [string, StartPoll, boolean])[];

/** Ends it where it stands, as a machine that fails does. */
export async function killNow(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
