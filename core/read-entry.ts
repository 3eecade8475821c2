import { createHash } from "node:crypto";
import { Failure } from "./failure.ts";
import type { ResponseEntry } from "./manifest.ts";
import { piecesOf } from "./object-body.ts";
import type { ObjectStore, StoredObject } from "./object-store.ts";

/**
 * Opens the object of a manifest's entry and checks its size. Returns the object before it is read, or in words, without a full stop,
 * how it differs from the entry.
 */
export async function openEntry(
  store: Pick<ObjectStore, "get">,
  entry: ResponseEntry,
  signal: AbortSignal,
): Promise<StoredObject | { readonly kind: "fault"; readonly fault: string }> {
  const found = await store.get(entry.key, { signal });
  if (found.kind !== "object") return { kind: "fault", fault: "the object is missing" };
  if (found.size === entry.size) return found;
  found.body.destroy();
  return { kind: "fault", fault: sizeFault(entry, found.size) };
}

/**
 * Reads the object piece by piece and returns how it differs from the entry, as `openEntry` does. `take` gets the bytes before they
 * are checked, so the caller must drop them after a fault.
 */
export async function readEntry(
  store: Pick<ObjectStore, "get">,
  entry: ResponseEntry,
  signal: AbortSignal,
  take: (piece: Buffer) => unknown,
): Promise<string | undefined> {
  const found = await openEntry(store, entry, signal);
  if (found.kind === "fault") return found.fault;
  const hash = createHash("sha256");
  let size = 0;
  for await (const piece of piecesOf(found)) {
    size += piece.length;
    // Leaving the loop destroys the body, so that a body without end does not fill the memory.
    if (size > entry.size) break;
    hash.update(piece);
    await take(piece);
  }
  if (size !== entry.size) return sizeFault(entry, size);
  const sha256 = hash.digest("hex");
  if (sha256 === entry.sha256) return undefined;
  return `the object has the SHA-256 ${sha256}, the manifest says ${entry.sha256}`;
}

function sizeFault(entry: ResponseEntry, size: number): string {
  return `the object has ${size} bytes, the manifest says ${entry.size}`;
}

export function entryFailure(entry: ResponseEntry, fault: string): Failure {
  return new Failure("corrupt_document", `${entry.key}: ${fault}.`);
}
