import { asFailure, type FailureCode } from "../../../core/failure.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { noStore, readStoreIdentity } from "../../../core/store-identity.ts";
import type { RegisteredToken, TokenRegistry } from "../../../core/token-registry.ts";
import { readRegistry } from "../../operate/tokens/edit-registry.ts";

/** What the registry knows of the token that a request bore. */
export type TokenFinding =
  /** The gateway did not find out which token it was, if any. */
  | { readonly kind: "none" }
  | { readonly kind: "unavailable"; readonly reason: string }
  /** The log names a token that this store's registry does not have. */
  | { readonly kind: "foreign" }
  | {
      readonly kind: "known";
      readonly token: RegisteredToken;
      /** The token that a rotation put in its place, and its own successors, oldest first. */
      readonly successors: readonly RegisteredToken[];
    };

export type RegistryReading =
  | { readonly kind: "read"; readonly registry: TokenRegistry }
  | { readonly kind: "unavailable"; readonly reason: string; readonly code: FailureCode };

/** The registry, or why it could not be read: a log explains much by itself. */
export async function registryReading(store: ObjectStore): Promise<RegistryReading> {
  try {
    const { registry, etag } = await readRegistry(store);
    // W160: where there is no store, nobody can say that a key was never issued.
    if (etag === undefined && (await readStoreIdentity(store)) === undefined) throw noStore(store.address);
    return { kind: "read", registry };
  } catch (error) {
    const { code, message } = asFailure(error);
    return { kind: "unavailable", reason: message, code };
  }
}

export function tokenFinding(reading: RegistryReading, tokenId: string | null): TokenFinding {
  if (tokenId === null) return { kind: "none" };
  if (reading.kind === "unavailable") return reading;
  const { tokens } = reading.registry;
  const token = tokens.find((candidate) => candidate.tokenId === tokenId);
  if (token === undefined) return { kind: "foreign" };
  const successors: RegisteredToken[] = [];
  for (let at: RegisteredToken | undefined = token; at !== undefined; ) {
    const id: string = at.tokenId;
    at = tokens.find(({ replaces }) => replaces === id);
    // A registry edited by hand may go round in circles.
    if (at === undefined || successors.includes(at)) break;
    successors.push(at);
  }
  return { kind: "known", token, successors };
}
