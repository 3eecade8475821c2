import { asFailure, Failure } from "../../../core/ground/failure.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { SourcePool } from "../../database/connect.ts";
import type { DataProblem, ProblemCode } from "../public-program/problem.ts";
import { hasPointer } from "../snapshot/stored-tenants.ts";
import {
  type NamedPrograms,
  ownersOf,
  sharingTenants,
  type TenantWithPrograms,
} from "../source/find-programs.ts";
import { isMost, minPrograms } from "./guards.ts";

export interface AddingBuild {
  readonly tenantId: TenantId;
  /** The programs that it adds. */
  readonly added: NamedPrograms;
  /** Whether the tenant has a live snapshot already. */
  readonly isLive: boolean;
}

/**
 * P144: a failure that refuses a tenant, also its first snapshot, when most of its added programs are those
 * of other tenants: more often a join forgets the tenant. An allowed build has a warning.
 */
export type SharedGuard = (
  build: AddingBuild,
  isAllowed: boolean,
) => Promise<Failure | DataProblem | undefined>;

const maxNamed = 3;
/** How long the source may look for other tenants' programs. */
const limits = { statementMs: 60_000 };

/**
 * P144: asks the source who else has the added programs: a question of its own for a live tenant. Of first
 * snapshots there may be a thousand in a run, so one question in the run finds those that share enough.
 */
export function createSharedGuard(pool: SourcePool, store: ObjectStore, signal: AbortSignal): SharedGuard {
  let sharing: ReturnType<typeof sharingTenants> | undefined;

  async function mayShare({ tenantId, isLive }: AddingBuild): Promise<boolean> {
    if (isLive) return true;
    sharing ??= pool.withReading(sharingTenants, limits);
    const others = (await sharing).get(tenantId) ?? [];
    return others.reduce((sum, { programs }) => sum + programs, 0) >= minPrograms;
  }

  /** What to do if the tenant is another one under a new id. */
  async function renaming(build: AddingBuild, owners: readonly TenantWithPrograms[]): Promise<string> {
    const { tenantId, added, isLive } = build;
    const before = owners.find(({ programs }) => programs === added.size)?.tenantId;
    if (isLive || before === undefined || !(await hasPointer(store, before, signal))) return "";
    return `If ${tenantId} is the new id of ${before}, build it with --allow-shared, then \`tenant rename ${before} ${tenantId}\`. `;
  }

  return async (build, isAllowed) => {
    const { tenantId, added } = build;
    const warning = (code: ProblemCode, value: string) => ({ code, programId: null, field: null, value });
    if (added.size < minPrograms) return undefined;
    try {
      if (!(await mayShare(build))) return undefined;
      const { shared, owners } = await pool.withReading(
        (client) => ownersOf(client, tenantId, added),
        limits,
      );
      if (!isMost(shared, added.size)) return undefined;
      const more = owners.length > maxNamed ? ` and ${owners.length - maxNamed} more` : "";
      const named = owners.slice(0, maxNamed).map((owner) => owner.tenantId);
      const value = `${shared} of ${added.size} added program(s) are those of ${named.sort().join(", ")}${more}`;
      if (isAllowed) return warning("programs_shared", value);
      return new Failure(
        "shared_guard",
        `Partners of tenant ${tenantId} would get another tenant's programs: ${value}. Look whether the views join each program ` +
          `to its own tenant by the key. ${await renaming(build, owners)}` +
          "If this is right, build with --allow-shared; companies that share a catalogue set SHARED_PROGRAMS=warn.",
      );
    } catch (error) {
      if (signal.aborted) throw error;
      return warning("shared_unknown", asFailure(error).message);
    }
  };
}
