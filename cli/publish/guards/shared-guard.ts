import { Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { DataProblem } from "../public-program/problem.ts";
import type { FindShared } from "./shared-programs.ts";

/** Programs of one tenant that are compared with those of others, by id. */
export type ComparedPrograms = ReadonlyMap<string, ComparedProgram>;

export interface ComparedProgram {
  readonly name: string;
  /** The digest of its detail, which contains the id. */
  readonly sha256: string;
}

/** Fewer equal programs of two tenants may be samples that both have. */
export const minShared = 5;

/** P144: whether `count` is most of the programs, and enough to be no chance. */
export function isMost(count: number, programs: ComparedPrograms): boolean {
  return count >= minShared && count * 2 > programs.size;
}

/** In a sample of this size, a share of three fifths differs from a half by 4 standard deviations. */
const maxCompared = 400;

/**
 * P144: the programs that a build adds, or a fair sample of them: those with the smallest digests, which say nothing about id or
 * tenant.
 */
export class AddedPrograms {
  #programs: [id: string, program: ComparedProgram][] = [];

  add(id: string, program: ComparedProgram): void {
    this.#programs.push([id, program]);
    if (this.#programs.length >= 2 * maxCompared) this.#programs = this.#sample();
  }

  compared(): ComparedPrograms {
    return new Map(this.#sample());
  }

  #sample(): [id: string, program: ComparedProgram][] {
    const all = this.#programs;
    if (all.length <= maxCompared) return all;
    return all.sort(([, a], [, b]) => (a.sha256 < b.sha256 ? -1 : 1)).slice(0, maxCompared);
  }
}

export interface AddingBuild {
  readonly tenantId: TenantId;
  /** The programs that it adds, and how many they are. */
  readonly added: AddedPrograms;
  readonly count: number;
  /** Whether the tenant has a live snapshot already. */
  readonly isLive: boolean;
  readonly isAllowed: boolean;
}

export type SharedVerdict =
  | { readonly kind: "fine" }
  | { readonly kind: "refused"; readonly failure: Failure }
  /** The build publishes, with this warning. */
  | { readonly kind: "warned"; readonly problem: DataProblem };

/**
 * P144: refuses a live tenant when most of its added programs are those of another tenant: more often a join forgets the tenant
 * than a company decides so. P145: a tenant's first snapshot and an allowed build are published with a warning.
 */
export async function sharedVerdict(
  { tenantId, added, count, isLive, isAllowed }: AddingBuild,
  find: FindShared | undefined,
): Promise<SharedVerdict> {
  if (count < minShared || find === undefined) return { kind: "fine" };
  const programs = added.compared();
  const { byTenant, unasked } = await find(tenantId, programs, isLive);
  const shared = new Set([...byTenant.values()].flatMap((found) => [...found])).size;
  if (!isMost(shared, programs)) {
    return unasked === undefined
      ? { kind: "fine" }
      : { kind: "warned", problem: problem("shared_unknown", unasked.message) };
  }
  const numbers = `${shared} of ${programs.size} added program(s) are those of ${named([...byTenant.keys()].sort())}`;
  if (!isLive || isAllowed) {
    return { kind: "warned", problem: problem("programs_shared", numbers) };
  }
  return {
    kind: "refused",
    failure: new Failure(
      "shared_guard",
      `Partners of tenant ${tenantId} would get another tenant's programs: ${numbers}. Look whether the views join each program ` +
        "to its own tenant by the key. If this is right, build with --allow-shared; companies that share a catalogue set SHARED_PROGRAMS=warn.",
    ),
  };
}

function named(tenantIds: readonly TenantId[]): string {
  const more = tenantIds.length - maxNamed;
  return tenantIds.slice(0, maxNamed).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

const maxNamed = 3;

function problem(code: "programs_shared" | "shared_unknown", value: string): DataProblem {
  return { code, programId: null, field: null, value };
}
