import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tokensKey } from "../../../core/ground/object-key.ts";
import { createFileStore } from "../../../core/store/file-store/file-store.ts";
import { startActor } from "../../support/stepped-versions.ts";
import { body, contentOf, newRoot, pathIn, pending, versionsOf } from "../../support/versioned-folder.ts";

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
          // In one pass: a folder's own name may have these letters.
          const [program = "", ...args] = command.map((arg) =>
            arg.replaceAll(/FROM|TO/g, (word) => (word === "FROM" ? source : copy)),
          );
          const { status, stderr } = spawnSync(program, args);
          expect([String(stderr), status]).toEqual(["", 0]);
        };
        run();
        const actor = await startActor(source, "a", async ({ versions }) => {
          const file = await versions.open(pathIn(source));
          await file?.handle.close();
          return (await versions.replace(pathIn(source), body("0pa"), file?.etag)).kind;
        });
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

test("P173 a reader that may not write reads what a killed writer left pending", async () => {
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
