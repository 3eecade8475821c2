import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tokensKey } from "../../../core/ground/object-key.ts";
import { createFileStore } from "../../../core/store/file-store/file-store.ts";
import { unlessErrno } from "../../../core/store/file-store/store-folders.ts";
import { putNewFile } from "../../../core/store/file-store/stored-file.ts";
import { sized } from "../../support/quick-pass.ts";
import { type Actor, type Desk, startActor } from "../../support/stepped-versions.ts";
import {
  body,
  contentOf,
  fresh,
  newRoot,
  pathIn,
  pending,
  versionsOf,
} from "../../support/versioned-folder.ts";

/**
 * What a run has promised so far. The object's content is the list of those who wrote to it: a replacement
 * adds a letter.
 */
interface Promised {
  readonly stored: string[];
  /** What the folder itself has from the beginning; its copies have what is stored. */
  readonly original: string;
  isDeleted: boolean;
}

type Work = (desk: Desk, path: string, promised: Promised) => Promise<string>;

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
      if (kind === "stored") promised.stored.push(letter);
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
  promised.isDeleted = true;
  await desk.versions.remove(path);
  return "deleted";
};

const creates: Work = async ({ folders }, path) => {
  const putting = putNewFile(folders, path, body("n"), "link");
  return (await unlessErrno(putting, "EEXIST")) === undefined ? "there" : "created";
};

interface Scenario {
  readonly prepare: (root: string) => Pick<Promised, "stored" | "original">;
  readonly actors: Readonly<Record<string, Work>>;
  readonly isLarge?: true;
}

const scenarios: Readonly<Record<string, Scenario>> = {
  "two who replace what was never replaced": { prepare: fresh, actors: { a: adds("a"), b: adds("b") } },
  "two who replace what a killed process left pending": {
    prepare: pending,
    actors: { a: adds("a"), b: adds("b") },
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

describe("P170 in every order of calls, whoever is stopped or killed before any of them", () => {
  for (const [name, scenario] of Object.entries(scenarios)) {
    test(name, { timeout: 300_000 }, async () => {
      const states = await exploreAll(scenario, scenario.isLarge ? 1 : sized({ whole: 2, quick: 1 }));
      expect(states).toBeGreaterThan(20);
    });
  }
});

/**
 * Every order of calls in which an actor is interrupted by another at most `maxSwitches` times, depth first.
 * A run begins anew for each branch, since what an actor is about to do cannot be copied.
 */
async function exploreAll({ prepare, actors }: Scenario, maxSwitches: number): Promise<number> {
  const known = new Set<string>();
  const judged = new Set<string>();
  const open: (readonly number[])[] = [[]];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const root = newRoot();
    const promised: Promised = { ...prepare(root), isDeleted: false };
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
    // A deletion takes everything or nothing.
    if (letters[0] === "0" || !promised.isDeleted)
      expect(letters).toEqual(expect.arrayContaining(promised.stored));
    expect(new Set(letters).size).toBe(letters.length);
    const isOver = actors.every(({ result }) => result !== undefined);
    const isGone = actors.some(({ result }) => result === "deleted");
    // Whoever began before the deletion has lost.
    if (isGone && isOver) expect(letters[0] ?? "n").toBe("n");
    if (isOver && !isGone) {
      const original = await contentOf(createFileStore({ directory: root }));
      expect([...(original?.text ?? "")]).toEqual(expect.arrayContaining([...promised.original]));
      // P174: nobody was killed.
      expect(readdirSync(versionsOf(root))).toHaveLength(1);
    }
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
    await store.tidy("");
    expect(readdirSync(versionsOf(copy))).toHaveLength(1);
    expect(readdirSync(join(copy, "auth"))).toHaveLength(2);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function tree(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${path.slice(root.length)} ${entry.isFile() ? readFileSync(path, "utf8") : ""}`;
    })
    .sort();
}
