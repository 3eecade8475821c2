import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, renameSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Failure } from "../../ground/failure.ts";
import type { ETag, ObjectBody, PutResult } from "../object-store.ts";
import { fileMode, folderMode, type StoreFolder, type StoreFolders, unlessErrno } from "./store-folders.ts";
import {
  isNamed,
  type OpenFile,
  openFile,
  temporaryName,
  unlinkIfThere,
  writeSyncedFile,
} from "./stored-file.ts";

/**
 * Compare-and-swap of a file without a lock. It does not depend on anything that a copy of the folder would
 * lose.
 *
 * An object that is replaced under a condition has a hidden *versions folder* beside it, with one empty file:
 * the *head*, named after the version that the object is at. A process that replaces version 7 puts the new
 * content beside it as body 8, then renames head 7 to head 8. Exactly one process can do so, since the name
 * is gone afterwards and its id is never given again. That rename is the whole decision (P170). The body is
 * then *published*: renamed onto the object's plain file. Any process may do that for one that was killed,
 * and the head moves on only from a version that is published (P170). To delete the object is to remove the
 * head of a published version.
 *
 * So only the head's body can be pending, each body is renamed once, and the plain file runs through the
 * versions in order. A process that was stopped for a year finds its head or its body gone and changes
 * nothing. Readers publish a pending body and read the plain file. A reader that may not write reads the
 * pending body (P173).
 */
export class Versions {
  readonly #folders: StoreFolders;

  constructor(folders: StoreFolders) {
    this.#folders = folders;
  }

  /** Opens the object's present content; `undefined` without an object. The caller closes the handle. */
  async open(path: string): Promise<OpenFile | undefined> {
    const plain = await this.#openPlain(path);
    if (plain !== undefined && (await this.#isCurrent(path, plain))) return plain;
    await plain?.handle.close();
    const file = await this.#openPublished(path);
    // A link that leads nowhere must not look like a missing object.
    if (file === undefined) await this.#folders.guard.refuseLinks(path);
    return file;
  }

  /** Replaces the object if its tag is still `expected`. `refused` also when another process was faster. */
  async replace(path: string, body: ObjectBody, expected: ETag | undefined): Promise<PutResult> {
    // No versions folder is made when the object is missing or has another tag.
    if (!isNamed(versionsFolder(path)) && !(await this.#isStill(path, expected, (at) => this.open(at))))
      return { kind: "refused" };
    const before = await this.#publishedVersions(path);
    if (before === undefined || !(await this.#isStill(path, expected, (at) => this.#openPlain(at))))
      return { kind: "refused" };
    const { head, names } = before;
    const next = newVersion(head.number + 1);
    let isOurs: boolean | undefined;
    try {
      const etag = await this.#inVersions(path, (folder) => writeSyncedFile(folder.at(bodyName(next)), body));
      if (etag === undefined) return { kind: "refused" };
      isOurs = await this.#inVersions(path, async (folder) => {
        renameSync(folder.at(headName(head)), folder.at(headName(next)));
        return true;
      });
      if (isOurs === undefined) return { kind: "refused" };
      await this.#inVersions(path, (folder) => folder.sync());
      await this.#publish(path, next);
      // P174: bodies listed before our rename are of processes that began from this head or before, and have
      // lost.
      const lost = names.filter((name) => name !== headName(head));
      await this.#removeNames(path, lost);
      return { kind: "stored", etag };
    } finally {
      if (isOurs === undefined) await this.#removeNames(path, [bodyName(next)]);
    }
  }

  /** Completes what a killed process left undone, so that the plain file is the object. */
  async publishPending(path: string): Promise<void> {
    if (!isNamed(versionsFolder(path))) return;
    const listed = await this.#listVersions(path);
    if (listed?.head !== undefined) await this.#publish(path, listed.head);
  }

  /** Deletes the object and its versions folder; every replacement under way loses. */
  async remove(path: string): Promise<void> {
    do {
      while (isNamed(versionsFolder(path))) {
        const head = (await this.#presentVersions(path))?.head;
        if (head === undefined) break;
        await this.#publish(path, head);
        await this.#inVersions(path, async (folder) => unlinkSync(folder.at(headName(head))));
      }
      // The plain file is removed last. A process killed before has deleted nothing and leaves nothing.
      await unlessErrno(
        this.#beside(path, (at) => unlinkSync(at(basename(path)))),
        "ENOENT",
        "ENOTDIR",
      );
    } while (isNamed(versionsFolder(path)));
  }

  /** Runs `work` with the folder of the object open. */
  #beside<Result>(path: string, work: (at: (name: string) => string) => Result): Promise<Result> {
    return this.#folders.within(dirname(path), async (folder) => work(folder.at));
  }

  /** Runs `work` with the versions folder open; `undefined` when that, or the file it looks for, is gone. */
  async #inVersions<Result>(
    path: string,
    work: (folder: StoreFolder) => Promise<Result>,
  ): Promise<Result | undefined> {
    return await unlessErrno(this.#folders.within(versionsFolder(path), work), "ENOENT");
  }

  /** Renames the body onto the plain file. Nothing happens when that was done before. */
  async #publish(path: string, version: Version): Promise<void> {
    await this.#inVersions(path, (from) =>
      this.#beside(path, (at) => renameSync(from.at(bodyName(version)), at(basename(path)))),
    );
  }

  async #removeNames(path: string, names: readonly string[]): Promise<void> {
    await this.#inVersions(path, async (folder) => {
      for (const name of names) unlinkIfThere(folder.at(name));
    });
  }

  /** Lists the versions folder; `undefined` until the object is first replaced under a condition. */
  async #listVersions(path: string): Promise<ListedVersions | undefined> {
    const entries = await unlessErrno(this.#folders.guard.entries(versionsFolder(path)), "ENOENT", "ENOTDIR");
    if (entries === undefined) return undefined;
    const names = entries.map(({ name }) => name);
    // A copy of the store made over an older copy may have several heads. The highest number is the newest.
    const [head] = names.flatMap((name) => parsedHead(name) ?? []).sort((a, b) => b.number - a.number);
    return { names, head, isPending: head !== undefined && names.includes(bodyName(head)) };
  }

  /** Makes the versions folder with its first head, unless one is there. False when there is no object. */
  async #begin(path: string): Promise<boolean> {
    const plain = await this.#openPlain(path);
    if (plain === undefined) return false;
    await plain.handle.close();
    const beginning = this.#beside(path, (at) => {
      const temporary = at(temporaryName());
      mkdirSync(temporary, folderMode);
      try {
        writeFileSync(join(temporary, headName(newVersion(0))), "", { flag: "wx", mode: fileMode });
        renameSync(temporary, at(basename(versionsFolder(path))));
      } finally {
        rmSync(temporary, { recursive: true, force: true });
      }
    });
    // These errors mean that another process was faster, or that the object was deleted.
    await unlessErrno(beginning, "ENOTEMPTY", "EEXIST", "ENOENT");
    return true;
  }

  /**
   * The listed versions; `undefined` when there is no versions folder. A folder whose head is gone for good
   * is removed: its object was deleted, or somebody has removed the head by hand. Nobody can publish a body
   * of such a folder any more. Some file systems show neither name of a file that is renamed during a look,
   * so the head is gone when none of several looks shows it.
   */
  async #presentVersions(path: string): Promise<HeadedVersions | undefined> {
    for (let looks = 1; ; looks += 1) {
      const listed = await this.#listVersions(path);
      if (listed === undefined) {
        const folder = versionsFolder(path);
        // Another process may have made the folder meanwhile.
        if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== false) return undefined;
        const text = `${folder} is in the way: it must be a folder, which the store makes by itself. Remove it.`;
        throw new Failure("corrupt_document", text);
      }
      const { head, names } = listed;
      if (head !== undefined) return { ...listed, head };
      if (names.length > 0 && looks % maxLooks !== 0) continue;
      await this.#removeNames(path, names);
      const removal = this.#beside(path, (at) => rmdirSync(at(basename(versionsFolder(path)))));
      await unlessErrno(removal, "ENOENT", "ENOTEMPTY", "EEXIST");
    }
  }

  /** The versions once the head's content is durably the plain file (P170). `undefined`: no object. */
  async #publishedVersions(path: string): Promise<HeadedVersions | undefined> {
    for (;;) {
      const listed = await this.#presentVersions(path);
      if (listed !== undefined) {
        // The body is published even if it was not listed: a listing may miss a file that appears meanwhile.
        await this.#publish(path, listed.head);
        await this.#folders.within(dirname(path), (folder) => folder.sync());
        return listed;
      }
      if (!(await this.#begin(path))) return undefined;
    }
  }

  async #isStill(path: string, expected: ETag | undefined, look: Versions["open"]): Promise<boolean> {
    if (expected === undefined) return true;
    const file = await look(path);
    await file?.handle.close();
    return file?.etag === expected;
  }

  /**
   * Whether the plain file that was opened is the object: no version is pending, and none was published
   * meanwhile. A read checks this after it has opened the plain file, so most need not search for bodies.
   */
  async #isCurrent(path: string, { inode }: OpenFile): Promise<boolean> {
    if ((await this.#folders.guard.inodeAt(versionsFolder(path))) !== undefined) {
      const listed = await this.#listVersions(path);
      if (listed?.head === undefined || listed.isPending) return false;
    }
    return (await this.#folders.guard.inodeAt(path)) === inode;
  }

  async #openPublished(path: string): Promise<OpenFile | undefined> {
    for (let looks = 1; ; looks += 1) {
      const listed = await this.#listVersions(path);
      const head = listed?.isPending === true ? listed.head : undefined;
      if (head === undefined) return await this.#openPlain(path);
      try {
        await this.#publish(path, head);
        return await this.#openPlain(path);
      } catch (error) {
        if (error instanceof Failure) throw error;
        // The reader may not write, so it reads the body itself, unless another process just publishes it.
        const reading = openFile(this.#folders.guard, join(versionsFolder(path), bodyName(head)));
        const file = await (looks === maxLooks ? reading : reading.catch(() => undefined));
        if (file !== undefined) return file;
      }
    }
  }

  #openPlain(path: string): Promise<OpenFile | undefined> {
    return openFile(this.#folders.guard, path);
  }
}

type HeadedVersions = ListedVersions & { readonly head: Version };

const maxLooks = 10;

/** An object's version. Its number only rises, and its id is never used twice, even after a deletion. */
interface Version {
  readonly number: number;
  readonly id: string;
}

/** The content of a versions folder. */
interface ListedVersions {
  /** All names, the head's included. */
  readonly names: readonly string[];
  readonly head: Version | undefined;
  /** Whether the head's body has not become the object's plain file yet. */
  readonly isPending: boolean;
}

/** The hidden folder beside an object that records the object's version. */
export function versionsFolder(path: string): string {
  return join(dirname(path), `.versions-${basename(path)}`);
}

const headName = ({ number, id }: Version): string => `head-${number}-${id}`;
const bodyName = ({ number, id }: Version): string => `body-${number}-${id}`;

function newVersion(number: number): Version {
  return { number, id: randomBytes(16).toString("hex") };
}

function parsedHead(name: string): Version | undefined {
  const [, number, id] = /^head-(\d{1,15})-([0-9a-f]{32})$/.exec(name) ?? [];
  return number === undefined || id === undefined ? undefined : { number: Number(number), id };
}
