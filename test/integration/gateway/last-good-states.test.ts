import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { stateBytes } from "../../../gateway/last-good/kept-state.ts";
import { readStates } from "../../../gateway/last-good/read-states.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "last-good-states-"));
  onTestFinished(() => rm(folder, { recursive: true }));
});

/** A state as a gateway writes it, told apart by its time. */
async function write(name: string, writtenAtMs: number): Promise<void> {
  const state = { writtenAtMs, registry: undefined, tenants: new Map() };
  await writeFile(join(folder, name), stateBytes(state));
}

test("W77, W100: what is damaged, or is no file, hides no state beside it", async () => {
  await write("good.state", 1);
  await writeFile(join(folder, "torn.state"), "torn");
  await mkdir(join(folder, "folder.state"));
  await symlink(join(folder, "good.state"), join(folder, "link.state"));
  const faults: unknown[] = [];
  const found = await readStates(folder, (error) => faults.push(error));
  expect(found.map(({ name, state }) => [name, state?.writtenAtMs]).sort()).toEqual([
    ["good.state", 1],
    ["torn.state", undefined],
  ]);
  expect(faults).toEqual([]);
});

test("W77: a state that cannot be read is told of", async () => {
  await write("good.state", 1);
  const faults: unknown[] = [];
  const tooLong = "x".repeat(300);
  const found = await readStates(
    folder,
    (error) => faults.push(error),
    async () => ["good.state", tooLong],
  );
  expect(found.map(({ name }) => name)).toEqual(["good.state"]);
  expect(faults.map(String)).toEqual([expect.stringContaining("ENAMETOOLONG")]);
});

test("a folder that is not there yet has no states", async () => {
  expect(await readStates(join(folder, "none"), () => {})).toEqual([]);
});

test("W86: who listed a state that a gateway beside replaces meanwhile looks again, and finds the new one", async () => {
  await write("old.state", 1);
  const faults: unknown[] = [];
  const found = await readStates(
    folder,
    (error) => faults.push(error),
    async () => {
      const names = await readdir(folder);
      await write("new.state", 2);
      await rm(join(folder, "old.state"), { force: true });
      return names;
    },
  );
  expect(found.map(({ name, state }) => [name, state?.writtenAtMs])).toEqual([["new.state", 2]]);
  expect(faults).toEqual([]);
});

test("a state that is always gone by the time it is opened is not waited for", async () => {
  await write("good.state", 1);
  const found = await readStates(
    folder,
    () => expect.fail("it was gone"),
    async () => ["good.state", "gone.state"],
  );
  expect(found.map(({ name }) => name)).toEqual(["good.state"]);
});
