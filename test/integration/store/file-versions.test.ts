import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createFileStore } from "../../../core/file-store/file-store.ts";
import { writeSyncedFile } from "../../../core/file-store/synced-file.ts";
import { bytesBody, readBody } from "../../../core/object-body.ts";
import { tokensKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { isQuick } from "../../support/quick-pass.ts";
import { type Actor, type Desk, startActor } from "../../support/stepped-versions.ts";

/** What a run has promised so far. The object's content is the list of those who wrote to it: a replacement adds a letter. */
interface Promised {
  readonly stored: string[];
  isDeleted: boolean;
}

type Work = (desk: Desk, path: string, promised: Promised) => Promise<string>;

const body = (text: string) => bytesBody(Buffer.from(text));

async function seen({ versions }: Desk, path: string) {
  const file = await versions.open(path);
  await file?.handle.close();
  return file && { text: String(file.bytes), etag: file.etag };
}

/** Adds the letters one after the other, each to what is there by then. */
const adds =
  (...letters: readonly string[]): Work =>
  async (desk, path, promised) => {
    for (const letter of letters) {
      const found = await seen(desk, path);
      if (found === undefined) continue;
      const { kind } = await desk.versions.replace(path, body(`${found.text}${letter}`), found.etag);
      if (kind === "stored" && !promised.isDeleted) promised.stored.push(letter);
    }
    return "over";
  };

/** Each reading shows all that was promised before it began, and never less than the one before. */
const reads: Work = async (desk, path, promised) => {
  let before = "";
  for (let times = 0; times < 2; times += 1) {
    const due = [...promised.stored];
    const text = (await seen(desk, path))?.text ?? "";
    expect([...text]).toEqual(expect.arrayContaining(due));
    expect(text.startsWith(before)).toBe(true);
    before = text;
  }
  return "over";
};

const deletes: Work = async (desk, path, promised) => {
  promised.stored.length = 0;
  promised.isDeleted = true;
  await desk.versions.remove(path);
  return "deleted";
};

const creates: Work = async ({ files }, path) =>
  await files.withTemporary(
    (to) => writeSyncedFile(to, body("n")),
    async (file) => ((await files.linkNew(file, path)) ? "created" : "there"),
  );

const versionsOf = (root: string) => join(root, "auth/.versions-tokens.json");
const pathIn = (root: string) => join(root, tokensKey);

function fresh(root: string): void {
  mkdirSync(join(root, "auth"), { recursive: true });
  writeFileSync(pathIn(root), "0");
}

/** A process was killed after its head and before its body became the plain file. */
function pending(root: string): void {
  fresh(root);
  mkdirSync(versionsOf(root));
  writeFileSync(join(versionsOf(root), `head-1-${"a".repeat(32)}`), "");
  writeFileSync(join(versionsOf(root), `body-1-${"a".repeat(32)}`), "0p");
}

/** The same of release 0.1.0. */
function earlier(root: string): void {
  fresh(root);
  const { ino, mtimeNs, size } = statSync(pathIn(root), { bigint: true });
  // SHA-256 of "0".
  const digest = "5feceb66ffc86f38d952786c6d696c79";
  const tag = `${ino.toString(36)}-${mtimeNs.toString(36)}-${size}-${digest}`;
  writeFileSync(join(root, "auth", `.next-tokens.json-${tag}`), "0p");
  linkSync(pathIn(root), join(root, "auth", ".next-tokens.json-1a-2b-3-4f"));
}

interface Scenario {
  readonly prepare: (root: string) => void;
  readonly actors: Readonly<Record<string, Work>>;
  readonly isLarge?: true;
}

const scenarios: Readonly<Record<string, Scenario>> = {
  "two who replace what was never replaced": { prepare: fresh, actors: { a: adds("a"), b: adds("b") } },
  "two who replace what a killed process left pending": {
    prepare: pending,
    actors: { a: adds("a"), b: adds("b") },
  },
  "two who take over what release 0.1.0 left behind": {
    prepare: earlier,
    actors: { a: adds("a"), b: adds("b") },
    isLarge: true,
  },
  "one who is stopped while another replaces twice": {
    prepare: pending,
    actors: { a: adds("a"), b: adds("b", "c") },
  },
  "one who replaces and one who reads": { prepare: pending, actors: { a: adds("a"), r: reads } },
  "one who replaces and one who deletes": { prepare: pending, actors: { a: adds("a"), d: deletes } },
  "two who delete": { prepare: pending, actors: { d: deletes, e: deletes } },
  "two who replace and one who reads": {
    prepare: pending,
    actors: { a: adds("a"), b: adds("b"), r: reads },
    isLarge: true,
  },
  "one who replaces, one who deletes and one who creates anew": {
    prepare: pending,
    actors: { a: adds("a"), d: deletes, n: creates },
    isLarge: true,
  },
};

describe("P170 P171 in every order of calls, whoever is stopped or killed before any of them", () => {
  for (const [name, scenario] of Object.entries(scenarios)) {
    test.skipIf(isQuick && scenario.isLarge)(name, { timeout: 300_000 }, async () => {
      const states = await exploreAll(scenario, isQuick || scenario.isLarge ? 1 : 2);
      expect(states).toBeGreaterThan(20);
    });
  }
});

const copies: Readonly<Record<string, readonly string[]>> = {
  "cp -a": ["cp", "-a", "FROM/.", "TO"],
  "rsync -a": ["rsync", "-a", "FROM/", "TO"],
  tar: ["sh", "-c", "tar -C FROM -cf - . | tar -C TO -xf -"],
};

describe.each(Object.entries(copies))("P173 %s", (_, command) => {
  const hasTool = spawnSync("which", [command[0] ?? ""]).status === 0;

  test.skipIf(!hasTool)(
    "of the folder says what the store says, whichever call a writer was killed at",
    async () => {
      let calls = 0;
      for (let isOver = false; !isOver; calls += 1) {
        const root = newRoot();
        // A copy that is brought up to date without deletions holds leftovers of the time before.
        pending(root);
        const [source, copy] = [join(root, "store"), join(root, "copy")];
        mkdirSync(source);
        mkdirSync(copy);
        pending(source);
        const run = () => {
          const [program = "", ...args] = command.map((arg) =>
            arg.replace("FROM", source).replace("TO", copy),
          );
          expect(spawnSync(program, args).status).toBe(0);
        };
        run();
        const promised: Promised = { stored: [], isDeleted: false };
        const actor = await startActor(source, "a", (desk) => adds("a")(desk, pathIn(source), promised));
        for (let step = 0; step < calls && actor.result === undefined; step += 1) await actor.step();
        isOver = actor.result !== undefined;
        run();
        const copied = await contentOf(createFileStore({ directory: copy }));
        const original = await contentOf(createFileStore({ directory: source }));
        expect(copied?.text).toBe(original?.text);
        expect(readFileSync(pathIn(copy), "utf8")).toBe(original?.text);
        expect(readFileSync(pathIn(source), "utf8")).toBe(original?.text);
        await actor.finish();
      }
      expect(calls).toBeGreaterThan(10);
    },
  );
});

test("P172 a reader that may not write reads what a killed writer left pending", async () => {
  const root = newRoot();
  pending(root);
  // Root may write everywhere; a folder in the plain file's place refuses the rename of a file for anybody.
  rmSync(pathIn(root));
  mkdirSync(pathIn(root));
  expect((await contentOf(createFileStore({ directory: root })))?.text).toBe("0p");
});

test("P173 a plain file that an operator has put in place of another is believed", async () => {
  const root = newRoot();
  pending(root);
  const store = createFileStore({ directory: root });
  expect((await contentOf(store))?.text).toBe("0p");
  writeFileSync(pathIn(root), "backup");
  const found = await contentOf(store);
  expect(found?.text).toBe("backup");
  const condition = { kind: "match", etag: found?.etag ?? "" } as const;
  expect(await store.put(tokensKey, body("next"), { condition })).toMatchObject({ kind: "stored" });
  expect(readFileSync(pathIn(root), "utf8")).toBe("next");
});

test("P173 where the head's file was removed by hand the plain file counts, and can be replaced", async () => {
  const root = newRoot();
  pending(root);
  rmSync(join(versionsOf(root), `head-1-${"a".repeat(32)}`));
  const store = createFileStore({ directory: root });
  const found = await contentOf(store);
  expect(found?.text).toBe("0");
  const condition = { kind: "match", etag: found?.etag ?? "" } as const;
  expect(await store.put(tokensKey, body("next"), { condition })).toMatchObject({ kind: "stored" });
  expect(readdirSync(versionsOf(root))).toHaveLength(1);
});

/**
 * Every order of calls in which an actor is interrupted by another at most `maxSwitches` times, depth first. A run begins anew for
 * each branch, since what an actor is about to do cannot be copied.
 */
async function exploreAll({ prepare, actors }: Scenario, maxSwitches: number): Promise<number> {
  const known = new Set<string>();
  const judged = new Set<string>();
  const open: (readonly number[])[] = [[]];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const root = newRoot();
    prepare(root);
    const promised: Promised = { stored: [], isDeleted: false };
    const all: Actor[] = [];
    for (const [name, work] of Object.entries(actors)) {
      all.push(await startActor(root, name, (desk) => work(desk, pathIn(root), promised)));
    }
    let running: Actor | undefined;
    let switches = 0;
    for (let taken: readonly number[] = []; ; ) {
      const ready = all.filter(({ result }) => result === undefined);
      ready.sort((a, b) => Number(b === running) - Number(a === running));
      if (taken.length >= path.length) {
        const files = JSON.stringify([tree(root), promised, all.map(({ result }) => result)]);
        const state = JSON.stringify([files, switches, running?.name, all.map(({ history }) => history)]);
        if (known.has(state)) break;
        known.add(state);
        if (!judged.has(files)) await judge(root, promised, all);
        judged.add(files);
        const others = ready[0] !== running || switches < maxSwitches ? ready.length : 1;
        for (let other = 1; other < others; other += 1) open.push([...taken, other]);
      }
      const choice = path[taken.length] ?? 0;
      const next = ready[choice];
      if (next === undefined) break;
      if (ready[0] === running && choice > 0) switches += 1;
      running = next;
      taken = [...taken, choice];
      await next.step();
      expect(next.result ?? "").not.toMatch(/^failed/);
    }
    for (const actor of all) await actor.finish();
    rmSync(root, { recursive: true });
  }
  return known.size;
}

/** If all were killed now: a copy of the folder has what was promised, and goes on. */
async function judge(root: string, promised: Promised, actors: readonly Actor[]): Promise<void> {
  const copy = `${root}-copy`;
  cpSync(root, copy, { recursive: true });
  try {
    const store = createFileStore({ directory: copy });
    const found = await contentOf(store);
    const letters = [...(found?.text ?? "")];
    expect(letters).toEqual(expect.arrayContaining(promised.stored));
    expect(new Set(letters).size).toBe(letters.length);
    const isOver = actors.every(({ result }) => result !== undefined);
    const isGone = actors.some(({ result }) => result === "deleted");
    // Whoever began before the deletion has lost.
    if (isGone && isOver) expect(letters[0] ?? "n").toBe("n");
    if (found === undefined) {
      expect(await store.put(tokensKey, body("n"), { condition: { kind: "absent" } })).toMatchObject({
        kind: "stored",
      });
      return;
    }
    expect(readFileSync(pathIn(copy), "utf8")).toBe(found.text);
    const condition = { kind: "match", etag: found.etag } as const;
    expect(await store.put(tokensKey, body(`${found.text}!`), { condition })).toMatchObject({
      kind: "stored",
    });
    expect(readFileSync(pathIn(copy), "utf8")).toBe(`${found.text}!`);
    expect(readdirSync(versionsOf(copy))).toHaveLength(1);
    expect(readdirSync(join(copy, "auth"))).toHaveLength(2);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function tree(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(({ parentPath }) => !parentPath.includes(".tmp"))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${path.slice(root.length)} ${entry.isFile() ? readFileSync(path, "utf8") : ""}`;
    })
    .sort();
}

async function contentOf(store: ObjectStore) {
  const found = await store.get(tokensKey);
  if (found.kind !== "object") return undefined;
  return { text: (await readBody(found.body, 1000, tokensKey)).toString(), etag: found.etag };
}

const memory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

function newRoot(): string {
  const root = mkdtempSync(join(memory, "file-versions-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}
