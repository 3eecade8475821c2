import { Failure } from "../../core/ground/failure.ts";
import { printableJson } from "../../core/ground/printable.ts";
import { openStore, readStoreIdentity, wrongStore } from "../../core/process/open-store.ts";
import { parseSettings, type SettingValues } from "../../core/process/setting-parser.ts";
import { cliSettings } from "../../core/process/settings.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";
import type { ExitStatus } from "./exit-status.ts";

/** Standard output or standard error. Everything written to it passes `safeOutput`. */
export interface Output {
  /**
   * Writes text for people, JSON for programs, or bytes, which programs get unchanged. `issued` are the
   * tokens whose plaintexts may stand in the text; every other token is hidden.
   */
  write(chunk: string | Uint8Array, issued?: readonly string[]): void;
  readonly isTTY: boolean;
  /** Width in characters; 80 when it is not a terminal. */
  readonly columns: number;
}

/** The person who runs a command: the user of the operating system, and the host name. */
export interface Actor {
  readonly user: string;
  readonly host: string;
}

/** The parts of its process that a command may use. `main.ts` makes the shell, and tests make their own. */
export interface Shell {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Results, and nothing else. */
  readonly stdout: Output;
  /** Messages and progress. */
  readonly stderr: Output;
  /** Standard input, for commands that accept `-` as a file name. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Named in the records of the audit. */
  readonly actor: Actor;
  readonly now: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  /** Sets the exit status that the process will end with. */
  readonly finish: (status: ExitStatus) => void;
}

export type CliSettings = SettingValues<typeof cliSettings>;

/** Reads the settings from the environment. Throws `settings`, which lists every fault at once. */
export function settingsOf(shell: Shell): CliSettings {
  const parsed = parseSettings(cliSettings, shell.env);
  if (parsed.ok) return parsed.values;
  throw new Failure("settings", [
    "Settings (environment variables) are wrong:",
    ...parsed.faults.map((fault) => `  ${fault}`),
  ]);
}

/**
 * Opens the store of the settings, runs with it, and closes it. Throws `settings` when `STORE_ID` names
 * another store (P161). A command that changes what partners see wraps the store by `identifiedStore`.
 */
export async function withStore<Result>(
  settings: CliSettings,
  run: (store: ObjectStore) => Promise<Result>,
): Promise<Result> {
  const { storeUrl, s3ForcePathStyle, storeTimeoutMs, storeId } = settings;
  const place = { address: storeUrl, forcePathStyle: s3ForcePathStyle, timeoutMs: storeTimeoutMs };
  const store = await openStore(place);
  try {
    if (storeId !== undefined) {
      const wrong = wrongStore(storeId, (await readStoreIdentity(store))?.storeId, store.address);
      if (wrong !== undefined) throw wrong;
    }
    return await run(store);
  } finally {
    await store.close();
  }
}

/** Prints a result for programs. `issued` are the tokens whose plaintexts may stand in it. */
export function printJson(shell: Shell, value: unknown, issued?: readonly string[]): void {
  shell.stdout.write(`${printableJson(value)}\n`, issued);
}

/** Prints a result for programs when `json` asks for that, otherwise as the text for people. */
export function printResult(shell: Shell, json: boolean, value: unknown, text: string): void {
  if (json) printJson(shell, value);
  else shell.stdout.write(text);
}
