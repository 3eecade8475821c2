import { createHash } from "node:crypto";
import { Failure } from "./failure.ts";
import type { ResponseEntry } from "./manifest.ts";
import { piecesOf } from "./object-body.ts";
import type { GetResult, ObjectStore } from "./object-store.ts";

/** How a stored object differs from what its manifest says of it. */
export type EntryFault =
  | { readonly kind: "missing" }
  | { readonly kind: "size"; readonly found: number }
  | { readonly kind: "digest"; readonly found: string };

/** Opens the object of a manifest's entry and checks its size. Returns the object before it is read, or the fault. */
export async function openEntry(
  store: Pick<ObjectStore, "get">,
  entry: ResponseEntry,
  signal: AbortSignal,
): Promise<Extract<GetResult, { kind: "object" }> | { readonly kind: "fault"; readonly fault: EntryFault }> {
  const found = await store.get(entry.key, { signal });
  if (found.kind !== "object") return { kind: "fault", fault: { kind: "missing" } };
  if (found.size === entry.size) return found;
  found.body.destroy();
  return { kind: "fault", fault: { kind: "size", found: found.size } };
}

/**
 * Reads the object piece by piece and returns how it differs from the entry. `take` gets the bytes before they are checked, so
 * the caller must drop them after a fault.
 */
export async function readEntry(
  store: Pick<ObjectStore, "get">,
  entry: ResponseEntry,
  signal: AbortSignal,
  take: (piece: Buffer) => unknown,
): Promise<EntryFault | undefined> {
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
  if (size !== entry.size) return { kind: "size", found: size };
  const sha256 = hash.digest("hex");
  return sha256 === entry.sha256 ? undefined : { kind: "digest", found: sha256 };
}

/** The fault in words, without a full stop. */
export function faultText(entry: ResponseEntry, fault: EntryFault): string {
  switch (fault.kind) {
    case "missing":
      return "the object is missing";
    case "size":
      return `the object has ${fault.found} bytes, the manifest says ${entry.size}`;
    case "digest":
      return `the object has the SHA-256 ${fault.found}, the manifest says ${entry.sha256}`;
  }
}

export function entryFailure(entry: ResponseEntry, fault: EntryFault): Failure {
  return new Failure("corrupt_document", `${entry.key}: ${faultText(entry, fault)}.`);
}
