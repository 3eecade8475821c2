import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isErrno } from "./errno.ts";

/** A version of an object: its number only rises, and its id is never given twice, also not after the object was deleted. */
export interface Version {
  readonly number: number;
  readonly id: string;
}

/** What a versions folder has in it. */
export interface ListedVersions {
  /** All names, also those that the fields below were read from. */
  readonly names: readonly string[];
  readonly head: Version | undefined;
  /** Whether the head's body has not become the object's plain file yet. */
  readonly isPending: boolean;
  /** The object was deleted, or is being deleted; the folder is about to go. */
  readonly isEnded: boolean;
}

/** The hidden folder beside an object that says which version it is at. */
export function versionsFolder(path: string): string {
  return join(dirname(path), `.versions-${basename(path)}`);
}

export const headName = (version: Version): string => `head-${named(version)}`;
export const bodyName = (version: Version): string => `body-${named(version)}`;
/** The head's name once its object is being deleted. */
export const endName = (version: Version): string => `end-${named(version)}`;

export function firstVersion(): Version {
  return { number: 0, id: newId() };
}

export function nextVersion({ number }: Version): Version {
  return { number: number + 1, id: newId() };
}

/** `undefined` when the object has no versions folder: nobody has replaced it under a condition yet. */
export async function listVersions(path: string): Promise<ListedVersions | undefined> {
  let names: readonly string[];
  try {
    names = await readdir(versionsFolder(path));
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
  // A copy made over an older copy may hold several heads; the highest number is the newest.
  const head = names
    .flatMap((name) => parsedHead(name) ?? [])
    .reduce<Version | undefined>(
      (best, found) => (found.number > (best?.number ?? -1) ? found : best),
      undefined,
    );
  return {
    names,
    head,
    isPending: head !== undefined && names.includes(bodyName(head)),
    isEnded: head === undefined && names.some((name) => name.startsWith("end-")),
  };
}

function parsedHead(name: string): Version | undefined {
  const [, number, id] = /^head-(\d{1,15})-([0-9a-f]{32})$/.exec(name) ?? [];
  return number === undefined || id === undefined ? undefined : { number: Number(number), id };
}

function named({ number, id }: Version): string {
  return `${number}-${id}`;
}

function newId(): string {
  return randomBytes(16).toString("hex");
}
