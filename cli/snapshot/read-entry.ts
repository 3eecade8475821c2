import { createHash } from "node:crypto";
import type { ResponseEntry } from "../../core/manifest.ts";
import type { ObjectStore } from "../../core/object-store.ts";

/** How a stored object differs from what its manifest says of it. */
export type EntryFault =
  | { readonly kind: "missing" }
  | { readonly kind: "size"; readonly found: number }
  | { readonly kind: "digest"; readonly found: string };

/**
 * Reads the object of a manifest's entry, piece by piece, and tells how it differs from the entry. `take` gets the bytes
 * before they can be judged; after a fault whatever it made of them is worthless.
 */
export async function readEntry(
  store: ObjectStore,
  entry: ResponseEntry,
  signal: AbortSignal,
  take: (piece: Buffer) => unknown,
): Promise<EntryFault | undefined> {
  const found = await store.get(entry.key, { signal });
  if (found.kind !== "object") return { kind: "missing" };
  if (found.size !== entry.size) {
    found.body.destroy();
    return { kind: "size", found: found.size };
  }
  const hash = createHash("sha256");
  for await (const piece of found.body as AsyncIterable<Buffer>) {
    hash.update(piece);
    await take(piece);
  }
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
