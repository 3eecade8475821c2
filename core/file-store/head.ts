import { randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";
import type { Disk } from "./disk.ts";
import { unlessErrno } from "./file-error.ts";

/** A version of an object. Its number only rises, and its id is never used twice, even after the object was deleted. */
export interface Version {
  readonly number: number;
  readonly id: string;
}

/** The content of a versions folder. */
export interface ListedVersions {
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

export const headName = ({ number, id }: Version): string => `head-${number}-${id}`;
export const bodyName = ({ number, id }: Version): string => `body-${number}-${id}`;

export function newVersion(number: number): Version {
  return { number, id: randomBytes(16).toString("hex") };
}

/** Lists the versions folder; `undefined` when there is none, because nobody has replaced the object under a condition yet. */
export async function listVersions(disk: Disk, path: string): Promise<ListedVersions | undefined> {
  const entries = await unlessErrno(disk.entries(versionsFolder(path)), "ENOENT", "ENOTDIR");
  if (entries === undefined) return undefined;
  const names = entries.map(({ name }) => name);
  // A copy of the store made over an older copy may have several heads. The highest number is the newest.
  const [head] = names.flatMap((name) => parsedHead(name) ?? []).sort((a, b) => b.number - a.number);
  return { names, head, isPending: head !== undefined && names.includes(bodyName(head)) };
}

function parsedHead(name: string): Version | undefined {
  const [, number, id] = /^head-(\d{1,15})-([0-9a-f]{32})$/.exec(name) ?? [];
  return number === undefined || id === undefined ? undefined : { number: Number(number), id };
}
