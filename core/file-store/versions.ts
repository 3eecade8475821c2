import { linkSync, renameSync, rmdirSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Failure } from "../failure.ts";
import type { ETag, ObjectBody, PutResult } from "../object-store.ts";
import type { DurableFiles } from "./durable-files.ts";
import { followLinks, removeLinks } from "./earlier-links.ts";
import { isErrno } from "./errno.ts";
import {
  bodyName,
  endName,
  firstVersion,
  headName,
  type ListedVersions,
  listVersions,
  nextVersion,
  type Version,
  versionsFolder,
} from "./head.ts";
import type { LinkGuard } from "./link-guard.ts";
import { isNamed, type OpenFile, openFile } from "./open-file.ts";
import { fileMode, type StoreFolders } from "./store-folders.ts";
import { writeSyncedFile } from "./synced-file.ts";

/**
 * Compare-and-swap of a file, without a lock and without anything that a copy of the folder loses.
 *
 * An object that is replaced under a condition has a hidden *versions folder* beside it, with one empty file: the *head*, named
 * after the version that the object is at. Whoever replaces version 7 puts the new content beside it as body 8, then renames
 * head 7 to head 8: exactly one process can, since the name is gone afterwards and its id is never given again. That rename is
 * the whole decision (P170). The body is then *published*: renamed onto the object's plain file. Any process may do that for
 * one that was killed, and the head moves on only from a version that is published (P171).
 *
 * So a body is pending for the head at most, each is renamed once, and the plain file runs through the versions in order: a
 * process that was stopped for a year finds its head or its body gone and changes nothing. Readers publish what is pending and
 * read the plain file; where they may not write they read the pending body (P172).
 */
export interface Versions {
  /** Opens what the object is now; the caller closes the handle. `undefined` when there is none. */
  open(path: string): Promise<OpenFile | undefined>;
  /** Replaces the object, if it still has the tag `expected`. `refused` also when somebody else was faster. */
  replace(path: string, body: ObjectBody, expected: ETag | undefined): Promise<PutResult>;
  /** Publishes what a killed process left pending. */
  settle(path: string): Promise<void>;
  /** Deletes the object and its versions folder; every replacement under way loses. */
  remove(path: string): Promise<void>;
}

export function createVersions(guard: LinkGuard, folders: StoreFolders, files: DurableFiles): Versions {
  const openPlain = (path: string): Promise<OpenFile | undefined> => openFile(guard, path);

  async function publish(path: string, version: Version): Promise<void> {
    const publishing = folders.within(versionsFolder(path), (from) =>
      folders.within(dirname(path), async (to) =>
        renameSync(from.at(bodyName(version)), to.at(basename(path))),
      ),
    );
    // Missing: it is published already.
    await unlessErrno(publishing, "ENOENT");
  }

  /** Whether the name was there and is another now. */
  async function isRenamed(path: string, from: string, to: string): Promise<boolean> {
    const renaming = folders.within(versionsFolder(path), async (folder) => {
      renameSync(folder.at(from), folder.at(to));
      return true;
    });
    return (await unlessErrno(renaming, "ENOENT")) ?? false;
  }

  async function removeNames(path: string, names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const removing = folders.within(versionsFolder(path), async (folder) => {
      for (const name of names) await unlessErrno((async () => unlinkSync(folder.at(name)))(), "ENOENT");
    });
    await unlessErrno(removing, "ENOENT");
  }

  /** Makes the versions folder with its first head in it, unless somebody else has done so. */
  async function begin(path: string): Promise<void> {
    const version = firstVersion();
    const earlier = await followLinks(guard, path);
    await earlier?.file.handle.close();
    const beginning = files.makeFolder(versionsFolder(path), async (at) => {
      writeFileSync(at(headName(version)), "", { flag: "wx", mode: fileMode });
      if (earlier === undefined || earlier.path === path) return;
      await folders.within(dirname(path), async (folder) =>
        linkSync(folder.at(basename(earlier.path)), at(bodyName(version))),
      );
    });
    await beginning.catch((error: unknown) => {
      // Somebody else was faster, and has removed the links meanwhile.
      if (!isErrno(error, "ENOENT") || !isNamed(versionsFolder(path))) throw error;
    });
  }

  /** Removes a versions folder whose head is gone for good. Nobody can publish a body of such a folder any more. */
  async function clear(path: string, names: readonly string[]): Promise<void> {
    const ends = names.filter((name) => name.startsWith("end-"));
    await removeNames(path, [...names.filter((name) => !ends.includes(name)), ...ends]);
    const removing = folders.within(dirname(path), async (folder) =>
      rmdirSync(folder.at(basename(versionsFolder(path)))),
    );
    await unlessErrno(removing, "ENOENT", "ENOTEMPTY", "EEXIST");
  }

  /**
   * Looks until `take` gives something. A folder whose head is gone for good is cleared: its object was deleted, or somebody has
   * removed the head by hand. On file systems that list a folder in pieces a head that is renamed meanwhile may be missing from
   * a look, but not from each of many.
   */
  async function look<Result>(
    path: string,
    take: (listed: ListedVersions | undefined) => Promise<Result | undefined>,
  ): Promise<Result> {
    for (let looks = 1; ; looks += 1) {
      const listed = await listVersions(path);
      const isOver = listed?.isEnded || listed?.names.length === 0 || looks % maxLooks === 0;
      if (listed !== undefined && listed.head === undefined && isOver) await clear(path, listed.names);
      else {
        const result = await take(listed);
        if (result !== undefined) return result;
      }
    }
  }

  /** The versions as they stand when the head's content has become the plain file, durably (P171). */
  async function published(path: string): Promise<ListedVersions & { readonly head: Version }> {
    return await look(path, async (listed) => {
      if (listed === undefined) await begin(path);
      const head = listed?.head;
      if (listed === undefined || head === undefined) return undefined;
      // Also when no body was listed: one that appears during a look may be missing from the look.
      await publish(path, head);
      await folders.within(dirname(path), async (folder) => {
        if (head.number === 0) await removeLinks(folder, (name) => name === basename(path));
        await folder.sync();
      });
      return { ...listed, head };
    });
  }

  /** Takes the head away, so that no replacement under way can succeed, then the folder. */
  async function end(path: string): Promise<void> {
    await look(path, async (listed) => {
      if (listed === undefined) return true;
      if (listed.head === undefined) return undefined;
      await publish(path, listed.head);
      await isRenamed(path, headName(listed.head), endName(listed.head));
      return undefined;
    });
  }

  async function isStill(path: string, expected: ETag | undefined, look: typeof open): Promise<boolean> {
    if (expected === undefined) return true;
    const file = await look(path);
    await file?.handle.close();
    return file?.etag === expected;
  }

  async function open(path: string): Promise<OpenFile | undefined> {
    const file = await openCurrent(path);
    // Nothing is found behind a link that leads nowhere; that must not pass for an object that was never put.
    if (file === undefined) await guard.refuseLinks(path);
    return file;
  }

  async function openCurrent(path: string): Promise<OpenFile | undefined> {
    for (let looks = 1; ; looks += 1) {
      const listed = await listVersions(path);
      if (listed === undefined) return (await followLinks(guard, path))?.file;
      const { head, isPending } = listed;
      if (head === undefined || !isPending) return await openPlain(path);
      try {
        await publish(path, head);
        return await openPlain(path);
      } catch (error) {
        if (error instanceof Failure) throw error;
        // A reader that may not write: the body itself is read, unless somebody else publishes it just now.
        const file = await openFile(guard, join(versionsFolder(path), bodyName(head))).catch(
          (reason: unknown) => {
            if (looks === maxLooks) throw reason;
          },
        );
        if (file !== undefined) return file;
      }
    }
  }

  return {
    open,

    async replace(path, body, expected) {
      // An object that is not there, or was replaced, gets no versions folder.
      if (!isNamed(versionsFolder(path)) && !(await isStill(path, expected, open)))
        return { kind: "refused" };
      const { head, names } = await published(path);
      if (!(await isStill(path, expected, openPlain))) return { kind: "refused" };
      const next = nextVersion(head);
      let isOurs = false;
      try {
        const etag = await folders.within(versionsFolder(path), (folder) =>
          writeSyncedFile(folder.at(bodyName(next)), body),
        );
        isOurs = await isRenamed(path, headName(head), headName(next));
        if (!isOurs) return { kind: "refused" };
        await folders.within(versionsFolder(path), (folder) => folder.sync());
        await publish(path, next);
        // P174: bodies listed before our rename belong to processes that began from this head or an earlier one. They have lost.
        await removeNames(
          path,
          names.filter((name) => name !== headName(head)),
        );
        return { kind: "stored", etag };
      } catch (error) {
        // The object was deleted, and the folder with it.
        if (isErrno(error, "ENOENT") && !isNamed(versionsFolder(path))) return { kind: "refused" };
        throw error;
      } finally {
        if (!isOurs) await removeNames(path, [bodyName(next)]);
      }
    },

    async settle(path) {
      const listed = await listVersions(path);
      if (listed?.head !== undefined) await publish(path, listed.head);
    },

    async remove(path) {
      do {
        // The plain file goes last: a process killed before has deleted nothing, and leaves nothing behind.
        await end(path);
        const removing = folders.within(dirname(path), async (folder) =>
          unlinkSync(folder.at(basename(path))),
        );
        await unlessErrno(removing, "ENOENT");
      } while (isNamed(versionsFolder(path)));
    },
  };
}

const maxLooks = 20;

async function unlessErrno<Result>(
  work: Promise<Result>,
  ...codes: readonly string[]
): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isErrno(error, ...codes)) return undefined;
    throw error;
  }
}
