import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { identifiedStore } from "../../../cli/shell/identified-store.ts";
import { confirmedKey } from "../../../core/ground/object-key.ts";
import { readStoreIdentity } from "../../../core/process/open-store.ts";
import { createFileStore } from "../../../core/store/file-store/file-store.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import { beginTestStore, testStoreId } from "../../support/begun-store.ts";
import type { CommandResult } from "../../support/command-line.ts";
import { forAllTests } from "../../support/lasting.ts";
import { quietShell } from "../../support/quiet-shell.ts";
import { openWorkbench } from "../../support/workbench.ts";

const token = ["token", "create", "--tenant", "acme", "--allow-unpublished"];
const newStore = /STORE_ID=(store_[0-9A-Za-z]{16}) /;
const build = ["snapshot", "build"];

describe("the identity of a store", () => {
  const settings = { storeId: undefined, storeUrl: { kind: "file", directory: "" } } as const;
  const bench = forAllTests(openWorkbench);
  let elsewhere: string;
  beforeEach(async () => {
    await bench.reset();
    await bench.source.insert("tenants", { tenant_id: "acme", name: "Acme" });
    await bench.insertPrograms("acme", "p-1");
    const folder = await mkdtemp(join(tmpdir(), "elsewhere-"));
    elsewhere = join(folder, "store");
    return () => rm(folder, { recursive: true });
  });

  const identity = async () => JSON.parse(await readFile(join(bench.storeDirectory, "store.json"), "utf8"));
  const onElsewhere = (args: readonly string[], env = {}): Promise<CommandResult> =>
    bench.run(args, { env: { STORE_URL: `file:${elsewhere}`, ...env } });

  test.each([
    ["a build", build],
    ["a token command", token],
  ])("P160 %s begins a new store, says so once, and the next command does not", async (_, args) => {
    const first = await bench.run(args);
    expect(first.status).toBe(0);
    const said = newStore.exec(first.stderr)?.[1];
    expect(await identity()).toEqual({
      format: "partner-programs/store@1",
      storeId: said,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    const before = await identity();
    for (const next of [build, token]) {
      const { status, stderr } = await bench.run(next);
      expect([status, stderr.includes("store_")]).toEqual([0, false]);
    }
    expect(await identity()).toEqual(before);
  });

  test("P160 readers, probes and dry runs begin nothing", async () => {
    for (const args of [
      ["snapshot", "build", "--dry-run"],
      ["snapshot", "status"],
      ["snapshot", "prune", "--dry-run"],
      ["token", "list"],
      ["store", "check"],
      ["config"],
    ]) {
      const { status, stderr } = await bench.run(args);
      expect([args, status, stderr.includes("store_")]).toEqual([args, 0, false]);
    }
    expect(Object.keys((await bench.tree()) ?? {})).not.toContain("store.json");
    expect((await readdir(bench.storeDirectory)).filter((name) => name === "store.json")).toEqual([]);
  });

  test("P160 of several that begin at once all go by the same identity, and one says that it is new", async () => {
    const said: string[] = [];
    const store = createFileStore({ directory: bench.storeDirectory });
    await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        identifiedStore(store, settings, quietShell(said)).put(
          confirmedKey,
          bytesBody(Buffer.from(String(at))),
        ),
      ),
    );
    expect(said).toHaveLength(1);
    expect(said[0]).toContain((await readStoreIdentity(store))?.storeId);
  });

  test("P161 with STORE_ID set, no command reads or writes another store, or one that is not there", async () => {
    await bench.run(build);
    const { storeId } = await identity();
    const env = { STORE_ID: storeId };
    expect((await bench.run(build, { env })).status).toBe(0);
    const commands = [
      build,
      token,
      ["token", "list"],
      ["snapshot", "status"],
      ["store", "check"],
      ["config"],
    ];
    for (const args of commands) {
      const { status, stderr } = await onElsewhere(args, env);
      expect([args, status]).toEqual([args, 2]);
      expect(stderr).toContain(`STORE_ID is ${storeId}, but there is no store.json in file:${elsewhere}`);
    }
    expect(await readdir(join(elsewhere, ".."))).toEqual([]);

    await mkdir(elsewhere);
    await beginTestStore(createFileStore({ directory: elsewhere }));
    const before = await readdir(elsewhere, { recursive: true });
    for (const args of commands) {
      const { status, stderr } = await onElsewhere(args, env);
      expect([args, status]).toEqual([args, 2]);
      expect(stderr).toMatch(new RegExp(`${testStoreId()} .*set STORE_ID`));
    }
    expect(await readdir(elsewhere, { recursive: true })).toEqual(before);
    expect((await onElsewhere(build, { STORE_ID: testStoreId() })).status).toBe(0);
  });

  test("P161 what goes on writing writes nothing where its store was, once that is another one or gone", async () => {
    const store = createFileStore({ directory: bench.storeDirectory });
    const watched = identifiedStore(store, settings, quietShell());
    const write = () => watched.put(confirmedKey, bytesBody(Buffer.from("{}")));
    await write();
    const away = `${bench.storeDirectory}-away`;
    await rename(bench.storeDirectory, away);
    watched.identifyAnew();
    await expect(write()).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringContaining("no store.json any more"),
    });
    await mkdir(bench.storeDirectory);
    await beginTestStore(store, testStoreId("b"));
    await expect(write()).rejects.toThrow(`is the store ${testStoreId("b")} now`);
    expect(await readdir(bench.storeDirectory)).not.toContain("runs");
    await rm(bench.storeDirectory, { recursive: true });
    await rename(away, bench.storeDirectory);
    await write();
  });

  test("P160 config and store check show which store it is", async () => {
    const none = await bench.run(["config"]);
    expect(none.stdout).toContain(`The store file:${bench.storeDirectory} has no identity yet`);
    await bench.run(build);
    const { storeId } = await identity();
    expect((await bench.run(["config"])).stdout).toContain(`is ${storeId}.`);
    const json = JSON.parse((await bench.run(["config", "--json"])).stdout);
    expect(json.store).toEqual({ address: `file:${bench.storeDirectory}`, storeId, unknown: null });
    for (const flags of [[], ["--read-only"]]) {
      expect((await bench.run(["store", "check", ...flags])).stdout).toContain(`${storeId}, since 20`);
    }
  });
});
