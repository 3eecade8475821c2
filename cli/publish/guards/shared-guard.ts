import { asFailure, Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { SourceClient, SourcePool } from "../../database/connect.ts";
import { type ContentRules, checkedProgram } from "../content/checked-program.ts";
import type { DataProblem, ProblemCode } from "../public-program/problem.ts";
import { publishedSnapshot } from "../snapshot/stored-snapshot.ts";
import { sharingTenants, type TenantWithPrograms, tenantsOfPrograms } from "../source/find-programs.ts";
import { readPrograms } from "../source/read-programs.ts";

/** Programs of one tenant that are compared with those of others: the digests of their details, which contain the id, by id. */
export type ComparedPrograms = ReadonlyMap<string, string>;

/** Fewer equal programs of two tenants may be samples that both have. */
export const minShared = 5;

/** P144: whether `count` is most of the programs, and enough to be no chance. */
function isMost(count: number, { size }: ComparedPrograms): boolean {
  return count >= minShared && count * 2 > size;
}

export interface AddingBuild {
  readonly tenantId: TenantId;
  /** The programs that it adds. */
  readonly added: ComparedPrograms;
  /** Whether the tenant has a live snapshot already. */
  readonly isLive: boolean;
}

/**
 * P144: a failure that refuses a live tenant when most of its added programs are those of another tenant: more often a join forgets the tenant
 * than a company decides so. A tenant's first snapshot and an allowed build are published with a warning.
 */
export type SharedGuard = (
  build: AddingBuild,
  isAllowed: boolean,
) => Promise<Failure | DataProblem | undefined>;

const maxNamed = 3;
/** How long the source may look for other tenants' programs. */
const limits = { statementMs: 60_000 };

/**
 * P144: looks for the programs that another tenant has with the same id and content, in its live snapshot or in its rows, which say what
 * it gets in this run. So the order of the builds does not matter. One question says which tenants have such rows: a question of its
 * own for a live tenant, since the answer may refuse its build, and one in the whole run for all first snapshots.
 */
export function createSharedGuard(
  pool: SourcePool,
  store: ObjectStore,
  rules: ContentRules,
  signal: AbortSignal,
): SharedGuard {
  let ofFirst: Promise<ReadonlyMap<string, readonly TenantWithPrograms[]>> | undefined;

  async function othersOf({ tenantId, added, isLive }: AddingBuild): Promise<readonly TenantWithPrograms[]> {
    if (isLive)
      return await pool.withReading((client) => tenantsOfPrograms(client, tenantId, added.keys()), limits);
    ofFirst ??= pool.withReading(sharingTenants, limits);
    return (await ofFirst).get(tenantId) ?? [];
  }

  /** The other tenants that most of the added programs belong to, if there are any. */
  async function owners(build: AddingBuild): Promise<string | undefined> {
    const { added } = build;
    const found: TenantId[] = [];
    const shared = new Set<string>();
    const others = await othersOf(build);
    let left = others.reduce((sum, { programs }) => sum + programs, 0);
    for (const { tenantId, programs } of others) {
      if (isMost(shared.size, added) || !isMost(shared.size + left, added)) break;
      left -= programs;
      // What cannot be read counts as different.
      const live = await publishedSnapshot(store, tenantId, signal).catch(() => undefined);
      const given = await pool
        .withReading((client) => programsGivenEqually(client, tenantId, rules, added))
        .catch(() => []);
      signal.throwIfAborted();
      const served = live?.manifest.programs;
      const ids = [...added.keys()].filter((id) => served?.get(id)?.sha256 === added.get(id));
      if (ids.length + given.length > 0) found.push(tenantId);
      for (const id of [...ids, ...given]) shared.add(id);
    }
    if (!isMost(shared.size, added)) return undefined;
    const more = found.length > maxNamed ? ` and ${found.length - maxNamed} more` : "";
    const named = found.sort().slice(0, maxNamed).join(", ") + more;
    return `${shared.size} of ${added.size} added program(s) are those of ${named}`;
  }

  return async (build, isAllowed) => {
    const warning = (code: ProblemCode, value: string) => ({ code, programId: null, field: null, value });
    if (build.added.size < minShared) return undefined;
    try {
      const value = await owners(build);
      if (value === undefined) return undefined;
      if (!build.isLive || isAllowed) return warning("programs_shared", value);
      return new Failure(
        "shared_guard",
        `Partners of tenant ${build.tenantId} would get another tenant's programs: ${value}. Look whether the views join each program ` +
          "to its own tenant by the key. If this is right, build with --allow-shared; companies that share a catalogue set SHARED_PROGRAMS=warn.",
      );
    } catch (error) {
      if (signal.aborted) throw error;
      return warning("shared_unknown", asFailure(error).message);
    }
  };
}

/** The programs that the other tenant's rows give equally. */
export async function programsGivenEqually(
  client: SourceClient,
  other: TenantId,
  rules: ContentRules,
  programs: ComparedPrograms,
): Promise<readonly string[]> {
  const equal: string[] = [];
  for await (const batch of readPrograms(client, other, rules.limits, { only: [...programs.keys()] })) {
    for (const read of batch) {
      const program = checkedProgram(read, rules);
      if (program.kind !== "published") continue;
      const { programId, rendered } = program;
      if (rendered.detailSha256 === programs.get(programId)) equal.push(programId);
    }
  }
  return equal;
}
