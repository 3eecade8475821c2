import type { Current } from "../../../core/current.ts";
import type { Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { ProgramCounts, TenantChanges } from "../../../schemas/generated/types.ts";
import type { Findings } from "../content/problem-log.ts";
import type { FindShared } from "../guards/shared-programs.ts";
import type { FollowLive } from "../live-copy/live-tree.ts";
import type { DataProblem } from "../public-program/problem.ts";
import type { PointerVersion } from "../snapshot/live-snapshot.ts";
import type { WithTenantRows } from "../source/tenant-rows.ts";
import type { BuildOptions } from "./build-options.ts";
import type { SourceMemory } from "./source-memory.ts";

/** What a build works with; time and randomness come from outside so that a build can be repeated exactly. */
export interface BuildContext {
  readonly withRows: WithTenantRows;
  readonly store: ObjectStore;
  /** Called before each tenant's first write; cheap after the first time. */
  readonly beforeFirstWrite: () => Promise<void>;
  readonly now: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly onProgress: (programs: number) => void;
  /**
   * The only programs that have changed since the live snapshot was built, if that is known. They are used only with a valid
   * memory of the source.
   */
  readonly hintedPrograms?: ReadonlySet<string> | undefined;
  /** Keeps the tenant's `live/` folder, where there may be one. */
  readonly followLive?: FollowLive | undefined;
  /**
   * P130: when a reading has lasted this long, and again after each such time, the states of the programs are asked for in a
   * query of their own. `undefined`: never.
   */
  readonly statesAfterMs?: number | undefined;
  /** P144; `undefined`: other tenants are not looked at. */
  readonly findShared?: FindShared | undefined;
  readonly signal: AbortSignal;
}

/** What partners of a tenant see, as far as an attempt knows. */
export interface Live {
  readonly pointer: PointerVersion | undefined;
  /** `undefined` when nothing is live, or when the manifest cannot be trusted. */
  readonly manifest: Manifest | undefined;
}

/** The beginning of an attempt. */
export interface Begun {
  readonly tenantId: TenantId;
  readonly options: BuildOptions;
  readonly context: BuildContext;
  readonly pointer: PointerVersion | undefined;
  readonly readAt: Date;
  /**
   * An earlier attempt of this build found the live lists damaged, so every program is read, and the lists are written anew.
   */
  readonly areListsDamaged: boolean;
}

/** The attempt with what the store has of the tenant. */
export interface Attempt extends Begun {
  readonly live: Live;
  readonly memory: SourceMemory | undefined;
}

/** What an attempt found out. A failed attempt lacks what it did not reach. */
export interface AttemptFacts {
  /** The pointer that the attempt began with. */
  readonly before?: Current | undefined;
  /** The pointer at its end, and how many programs its snapshot has. */
  readonly after?: Current | undefined;
  readonly livePrograms?: number | undefined;
  readonly counts?: ProgramCounts;
  /** Programs with an error, as the source writes their ids; `null`: one without an id. */
  readonly leftOut?: readonly (string | null)[];
  readonly findings?: Findings;
  /** The live manifest cannot be trusted, so every file was written anew. */
  readonly isManifestUnreadable?: boolean;
  readonly changeProblems?: readonly DataProblem[];
  readonly changes?: TenantChanges;
  /** P23: when the source was read, if the attempt found that the live snapshot shows what the source said then. */
  readonly confirmedAt?: Date | undefined;
  /** P130: why programs that the source withdrew may still be served, after a reading that failed. */
  readonly withdrawalFailure?: Failure | undefined;
  /** Why the memory could not be written, so that the next build reads everything. */
  readonly memoryFailure?: Failure | undefined;
}

export type AttemptOutcome =
  | { readonly kind: "published" | "unchanged" | "held" | "would-publish"; readonly facts: AttemptFacts }
  | { readonly kind: "failed"; readonly error: unknown; readonly facts: AttemptFacts }
  /** Some programs have changed, and the live lists, from which the others take their elements, are damaged. */
  | { readonly kind: "lists-damaged"; readonly facts: AttemptFacts }
  | Superseded;

/** Another builder or a prune was faster, and nothing of the attempt is visible. */
export interface Superseded {
  readonly kind: "superseded";
  readonly facts: AttemptFacts;
}

export const superseded: Superseded = { kind: "superseded", facts: {} };
