import type { RegisteredToken } from "../../../core/documents/token-registry.ts";
import type { RequestLogLine } from "../../read/gateway-log/request-line.ts";
import type { ProgramPast } from "../../read/snapshots/program-past.ts";
import type { Explanation } from "../explain.ts";
import type { TenantFacts } from "../facts/tenants.ts";

/** What is known of a request when it is judged. */
export interface RequestFacts {
  readonly line: RequestLogLine;
  readonly token: TokenFinding;
  /** Whether the store has any access key; `unknown` when the list of keys cannot be read. */
  readonly keys: "some" | "none" | "unknown";
  /** The tenant whose programs the access key reads now; `null` when none is known. */
  readonly tenant: TenantFacts | null;
  /** The program that the request did not find; `null` when it did, or when nothing is known. */
  readonly miss: MissingProgram | null;
  /** The snapshot that the answer came from; `null` when there was none, or when it cannot be read. */
  readonly snapshot:
    | { readonly kind: "not_kept" }
    | { readonly kind: "kept"; readonly programs: number }
    | null;
  /** Whether a file that was damaged at the time of the request is whole by now, or in use no more. */
  readonly isMended: boolean;
}

/** What the list of access keys says of the key of a request. */
export type TokenFinding =
  /** The gateway did not recognize a key in the request. */
  | { readonly kind: "none" }
  | { readonly kind: "unavailable"; readonly reason: string }
  /** The log names a key that this store's list does not have. */
  | { readonly kind: "foreign" }
  | {
      readonly kind: "known";
      readonly token: RegisteredToken;
      /** The key that replaced this one in a rotation, and that key's own successors, oldest first. */
      readonly successors: readonly RegisteredToken[];
    };

/** A program that a request did not find: why it was missing then, and its present state. */
export interface MissingProgram {
  readonly atTheTime: ProgramPast;
  readonly now: Explanation;
}
