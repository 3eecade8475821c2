import { once } from "node:events";
import { watch } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, test as plainTest } from "vitest";
import type { ProgramsState } from "../../../docs/client/programs-client.ts";
import { killScripts, lastOfKills } from "../../support/copy-cases.ts";
import { forEachTest } from "../../support/lasting.ts";
import { killNow, pollingProcesses, type StartPoll } from "../../support/polling-process.ts";
import { startScriptedApi } from "../../support/scripted-api.ts";

const stage = forEachTest(async () => {
  const directory = await mkdtemp(join(tmpdir(), "partner-kills-"));
  const api = await startScriptedApi();
  const close = async (): Promise<void> => {
    await api.close();
    await rm(directory, { recursive: true, force: true });
  };
  return { api, directory, close };
});

/**
 * Where a process can be killed: as a request comes, before and after the partner took an update, as a file
 * changes.
 */
type Kind = "request" | "told" | "taken" | "file";
const kinds: readonly Kind[] = ["request", "told", "taken", "file"];

/** The partner's own database: the names and texts of the programs that it was told. */
type Database = Readonly<Record<string, readonly [name: string, text: string | null]>>;

interface Outcome {
  readonly database: Database;
  /** How often each point was passed. */
  readonly passed: Readonly<Record<Kind, number>>;
}

interface ToldProgram {
  readonly item: { readonly name: string };
  readonly detail: { readonly text: string } | null;
}

/** One poll by a process, which is killed when it passes a point for the `at`-th time. */
async function pollOnce(
  start: StartPoll,
  folder: string,
  script: (typeof killScripts)[number],
  before: Database,
  kill?: readonly [Kind, at: number],
): Promise<Outcome> {
  const passed = { request: 0, told: 0, taken: 0, file: 0 };
  let database = before;
  let killed: Promise<void> | undefined;
  const pass = async (kind: Kind): Promise<void> => {
    passed[kind] += 1;
    if (kill?.[0] === kind && passed[kind] === kill[1]) killed = killNow(child);
    await killed;
  };
  stage.api.follow(async (request) => {
    await pass("request");
    return script(request);
  });
  const watcher = watch(folder, (_event, name) => {
    if (name?.startsWith("programs.json") && !/lock|held/.test(name)) void pass("file");
  });
  const state = join(folder, "programs.json");
  const given = { baseUrl: stage.api.url, token: "ppr_any", state, refreshPerPoll: 10, maxAttempts: 1 };
  const child = start(given);
  const ended = once(child, "close");
  child.stdin?.on("error", () => {
    // The process was killed before it read what it was sent.
  });
  let failure = "";
  child.stderr?.setEncoding("utf8").on("data", (text) => (failure += text));
  if (child.stdout === null) throw new Error("a process without output");
  for await (const line of createInterface({ input: child.stdout })) {
    const { update } = JSON.parse(line);
    if (update === undefined) continue;
    await pass("told");
    if (killed !== undefined) break;
    database = taken(database, update);
    await pass("taken");
    child.stdin?.write("taken\n");
  }
  await ended;
  watcher.close();
  if (killed === undefined) expect([failure, child.exitCode]).toEqual(["", 0]);
  return { database, passed };
}

function taken(
  database: Database,
  update: {
    readonly added: readonly string[];
    readonly changed: readonly string[];
    readonly removed: readonly string[];
    readonly programs: Readonly<Record<string, ToldProgram>>;
  },
): Database {
  const { added, changed, removed, programs } = update;
  const put = [...added, ...changed].map((id) => [id, shown(programs[id])] as const);
  const kept = Object.entries(database).filter(([id]) => !removed.includes(id));
  return Object.fromEntries([...kept, ...put]);
}

function shown(program: ToldProgram | undefined): readonly [string, string | null] {
  return [program?.item.name ?? "", program?.detail?.text ?? null];
}

describe.each(pollingProcesses)(
  "a partner's database beside the client in %s",
  (_language, start, isThere) => {
    plainTest.skipIf(!isThere)("is that of the server in the end, wherever a poll was killed", async () => {
      let database: Database = {};
      let points = 0;
      const folder = join(stage.directory, "whole");
      await mkdir(folder);
      for (const [at, script] of killScripts.entries()) {
        const [copied, known] = [join(stage.directory, `before-${at}`), database];
        await cp(folder, copied, { recursive: true });
        const whole = await pollOnce(start, folder, script, database);
        database = whole.database;
        // What is done to the files is the same in each poll.
        for (const kind of at === 2 ? kinds : kinds.filter((one) => one !== "file")) {
          for (let turn = 1; turn <= whole.passed[kind]; turn += 1) {
            points += 1;
            const tried = join(stage.directory, `${at}-${kind}-${turn}`);
            await cp(copied, tried, { recursive: true });
            const { database: then } = await pollOnce(start, tried, script, known, [kind, turn]);
            // The next poll finds what the server says last, and not again what the killed one was told.
            const { database: after } = await pollOnce(start, tried, () => lastOfKills, then);
            expect([kind, turn, at, after]).toEqual([kind, turn, at, lastOfKills.programs]);
            const kept: ProgramsState = JSON.parse(await readFile(join(tried, "programs.json"), "utf8"));
            expect([Object.keys(kept.programs), kept.pending]).toEqual([
              Object.keys(lastOfKills.programs),
              {},
            ]);
            await rm(tried, { recursive: true });
          }
        }
      }
      expect(database).toEqual(lastOfKills.programs);
      expect(points).toBeGreaterThan(20);
    });
  },
);
