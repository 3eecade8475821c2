import type { SnapshotId, TenantId } from "../../../core/ids.ts";
import { sha256Hex } from "../../../core/object-body.ts";
import type { ProgramCounts } from "../../../schemas/generated/types.ts";
import type { EmptiedField } from "../guards/field-guard.ts";
import type { ProblemCode } from "../public-program/problem.ts";
import type { StrayRows } from "../source/program-sums.ts";
import type { Findings } from "./problem-log.ts";

const sourceMemoryFormat = "partner-programs/source@1";

/** A finding of a program whose id is known. */
export type RememberedFinding = readonly [code: ProblemCode, field: string | null, value: string | null];

/**
 * What became of a program whose rows have the sum. A published one has its departure date, the bytes of its elements in
 * the list and in the legacy response, and its public facts, the parts in hex.
 */
export type MemoryLine =
  | readonly [
      programId: string,
      sum: string,
      state: "active",
      departureDate: string | null,
      listBytes: number,
      legacyBytes: number,
      parts: string,
      used: number,
      ...findings: RememberedFinding[],
    ]
  | readonly [programId: string, sum: string, state: string];

/** What a build that may not publish found: read again, the same rows would say the same. */
export interface BlockedReading {
  /** SHA-256 (hex) of the sums of all programs. */
  readonly sums: string;
  readonly counts: ProgramCounts;
  readonly findings: Findings;
  readonly leftOut: readonly (string | null)[];
  /** What the field guard found. */
  readonly emptiedFields: readonly EmptiedField[];
  /** See `MemoryTail`. */
  readonly earlier: EarlierParts;
  readonly mayHaveLiveTree: boolean;
}

/** P141: by program what it had filled, in hex, at the last reading of the whole source, if builds of single programs have emptied some of that. */
export type EarlierParts = readonly (readonly [programId: string, parts: string])[];

export interface MemoryHead {
  readonly tenantId: TenantId;
  /** What was live when this was written. A memory of another snapshot is of no use. */
  readonly snapshotId: SnapshotId;
  /** See `recipeDigest`. */
  readonly recipe: string;
}

/** What a memory says beside its lines. */
export interface MemoryTail {
  /** Rows of programs that do not exist. */
  readonly strays: readonly StrayRows[];
  /** Programs of the source without a line, which every build reads; `null` when some cannot be asked for by an id. */
  readonly unlisted: readonly string[] | null;
  readonly earlier: EarlierParts;
  /** Whether the tenant may have a tree for people: false spares the look for one that is not wanted. */
  readonly mayHaveLiveTree: boolean;
}

/** The first and the last line of the document, and a digest of all before it, around one line for each program. */
export function memoryOpening(head: MemoryHead): string {
  const { tenantId, snapshotId, recipe } = head;
  const opening = JSON.stringify({ format: sourceMemoryFormat, tenantId, snapshotId, recipe });
  return `${opening.slice(0, -1)},"programs":[`;
}

export function memoryClosing({ strays, unlisted, earlier, mayHaveLiveTree }: MemoryTail): string {
  return `\n],"rest":${JSON.stringify({ strays, unlisted, earlier, mayHaveLiveTree })}`;
}

/** The memory of a build that may not publish. It describes no snapshot, so it has no programs. */
export function blockedMemory(head: MemoryHead, blocked: BlockedReading): Buffer {
  const text = `${memoryOpening(head)}\n],"rest":${JSON.stringify({ blocked })}`;
  return Buffer.from(text + memorySeal(sha256Hex(Buffer.from(text))));
}

/** Behind everything else: SHA-256 of the bytes before it. */
export function memorySeal(sha256: string): string {
  return `,"sha256":"${sha256}"}`;
}

export const memorySealBytes = memorySeal("0".repeat(64)).length;
