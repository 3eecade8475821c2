import type { Current } from "../../../core/current.ts";
import type { Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { ProgramCounts, TenantChanges } from "../../../schemas/generated/types.ts";
import type { ContentRules } from "../content/content-rules.ts";
import { type Findings, ProblemLog } from "../content/problem-log.ts";
import { noPrograms } from "../content/program-counts.ts";
import type { OnInvalid } from "../guards/guards.ts";
import type { FindShared } from "../guards/shared-programs.ts";
import type { FollowLive } from "../live-copy/live-copy.ts";
import type { DataProblem } from "../public-program/problem.ts";
import type { PointerVersion } from "../snapshot/live-snapshot.ts";
import type { WithTenantRows } from "../source/tenant-rows.ts";
import type { SourceMemory } from "./source-memory.ts";

export interface BuildOptions {
  readonly onInvalid: OnInvalid;
  readonly allowShrink: boolean;
  readonly allowEmptied: boolean;
  readonly allowShared: boolean;
  /** Writes every file anew: how a damaged one is mended that a build would take over as unchanged. */
  readonly rewrite: boolean;
  readonly dryRun: boolean;
  readonly rules: ContentRules;
  /** See `recipeDigest`. */
  readonly recipe: string;
  /**
   * The programs that are said to have changed since the live snapshot was built, when nothing else did; used only where the
   * generator's memory of the source is valid.
   */
  readonly hintedPrograms?: ReadonlySet<string> | undefined;
}

/** What a build works with; time and randomness come from outside so that a build can be repeated exactly. */
export interface BuildContext {
  readonly withRows: WithTenantRows;
  readonly store: ObjectStore;
  /** Called before each tenant's first write; cheap after the first time. */
  readonly beforeFirstWrite: () => Promise<void>;
  readonly now: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly onProgress: (programs: number) => void;
  /** Keeps the tenant's tree for people, where there may be one. */
  readonly followLive?: FollowLive | undefined;
  /**
   * P130: while a reading lasts, the states of the programs are asked for by themselves each time that so much has passed.
   * `undefined`: they are not.
   */
  readonly statesAfterMs?: number | undefined;
  /** P144; `undefined`: nobody is asked. */
  readonly findShared?: FindShared | undefined;
  readonly signal: AbortSignal;
}

/** How an attempt ended. `superseded`: another builder or a prune was faster, and nothing of it is visible. */
export type AttemptOutcome = "published" | "unchanged" | "held" | "would-publish" | "superseded";

/** What an attempt has found out so far. It is filled in as the attempt goes on, since a failed one is reported, too. */
export interface AttemptRecord {
  /** The pointer that the attempt began with, and the one that it made. */
  before: Current | undefined;
  after: Current | undefined;
  counts: ProgramCounts;
  /** Programs with an error, as the source writes their ids; `null`: one without an id. */
  leftOut: readonly (string | null)[];
  /** Programs of the snapshot that is live at the end. */
  livePrograms: number | undefined;
  bytesWritten: number;
  problems: ProblemLog;
  /** The live manifest could not be trusted. It is no finding of the source, so no memory keeps it. */
  isManifestUnreadable: boolean;
  /** What is conspicuous in what the attempt changes. */
  changeProblems: readonly DataProblem[];
  /** What a dry run would change. */
  changes: TenantChanges | undefined;
  /** What an earlier reading of the same rows found. */
  recalled: Findings | undefined;
  /** When the source was read that the live snapshot shows, if this attempt found out. */
  confirmedAt: Date | undefined;
  /** Whether a tree for people may be there, for the memory. */
  mayHaveLiveTree: boolean;
  /** Why programs that the source withdrew may still be served, after a reading that failed. */
  withdrawalFailure: Failure | undefined;
  /** Why the memory could not be written: the next build reads everything. */
  memoryFailure: Failure | undefined;
}

export function newAttemptRecord(): AttemptRecord {
  return {
    before: undefined,
    after: undefined,
    counts: noPrograms,
    leftOut: [],
    livePrograms: undefined,
    bytesWritten: 0,
    problems: new ProblemLog(),
    isManifestUnreadable: false,
    changeProblems: [],
    changes: undefined,
    recalled: undefined,
    confirmedAt: undefined,
    mayHaveLiveTree: true,
    withdrawalFailure: undefined,
    memoryFailure: undefined,
  };
}

/** One attempt at one tenant: what it is to do, and what it began with. */
export interface Attempt {
  readonly tenantId: TenantId;
  readonly options: BuildOptions;
  readonly context: BuildContext;
  readonly record: AttemptRecord;
  readonly pointer: PointerVersion | undefined;
  /** The live manifest, if there is one and it can be trusted. */
  readonly live: Manifest | undefined;
  readonly memory: SourceMemory | undefined;
  /** From before the reading. */
  readonly readAt: Date;
}
