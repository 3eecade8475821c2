import { mkdtempSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { createFileStore } from "../../core/store/file-store/file-store.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";

interface Closable {
  close(): Promise<void>;
}

/**
 * What `open` gives, for all tests of the file or `describe`: there before the first one, and closed behind
 * the last.
 */
export function forAllTests<Thing extends Closable>(open: () => Promise<Thing>): Thing {
  let opened: Thing | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(async () => {
    await opened?.close();
  });
  return standIn(() => opened);
}

/** What `open` gives, for all tests, and as new before each of them. */
export function freshForEachTest<Thing extends Closable & { reset(): Promise<void> }>(
  open: () => Promise<Thing>,
): Thing {
  const opened = forAllTests(open);
  beforeEach(() => opened.reset());
  return opened;
}

/** What `open` gives, another one for each test. */
export function forEachTest<Thing extends Closable>(open: () => Promise<Thing>): Thing {
  let opened: Thing | undefined;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(async () => {
    await opened?.close();
  });
  return standIn(() => opened);
}

/** A tests' variable is there before what it stands for is. */
function standIn<Thing extends object>(current: () => Thing | undefined): Thing {
  const now = (): object => current() ?? {};
  return new Proxy({} as Thing, {
    get: (_, name) => Reflect.get(now(), name),
    set: (_, name, value) => Reflect.set(now(), name, value),
    ownKeys: () => Reflect.ownKeys(now()),
    getOwnPropertyDescriptor(_, name) {
      const found = Reflect.getOwnPropertyDescriptor(now(), name);
      return found && { ...found, configurable: true };
    },
  });
}

/** A `file:` store and its folder, another one for each test. */
export function fileStoreForEachTest(): ObjectStore & { readonly directory: string } {
  return forEachTest(async () => {
    const directory = await mkdtemp(join(tmpdir(), "file-store-"));
    const store = createFileStore({ directory });
    const close = async (): Promise<void> => {
      await store.close();
      await rm(directory, { recursive: true, force: true });
    };
    return { ...store, directory, close };
  });
}

/** A folder for all tests of the file. */
export function folderForAllTests(): string {
  const folder = mkdtempSync(join(tmpdir(), "folder-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
