import { Failure } from "../../../core/failure.ts";
import type { ResponseEntry } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { readEntry } from "../../../core/read-entry.ts";

/**
 * The bytes of a response as partners get them. Throws `corrupt_document` when they are missing or are not what the
 * manifest vouches for: the gateway would answer 500 instead of them.
 */
export async function responseBytes(
  store: ObjectStore,
  entry: ResponseEntry,
  signal: AbortSignal,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const fault = await readEntry(store, entry, signal, (piece) => pieces.push(piece));
  if (fault !== undefined) throw damaged(`${entry.key}: ${fault}`);
  return Buffer.concat(pieces);
}

/** The value under the key `data` of a list or detail response. */
export function dataOf(response: Buffer, key: string): unknown {
  try {
    const document: unknown = JSON.parse(response.toString("utf8"));
    if (typeof document === "object" && document !== null && "data" in document) return document.data;
  } catch (error) {
    throw new Failure("corrupt_document", `${key} is not JSON.`, { cause: error });
  }
  throw damaged(`${key} has no "data"`);
}

function damaged(what: string): Failure {
  return new Failure(
    "corrupt_document",
    `${what}. Partners get 500 for it; \`snapshot verify\` names all such objects, and \`snapshot rollback\` makes an earlier snapshot live.`,
  );
}
