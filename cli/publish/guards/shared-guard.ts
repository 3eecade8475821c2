import { asFailure, Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { SourceClient, SourcePool } from "../../database/connect.ts";
import { checkedProgram } from "../content/checked-program.ts";
import type { ContentRules } from "../content/content-rules.ts";
import type { DataProblem } from "../public-program/problem.ts";
import { readLiveManifest, readPointer } from "../snapshot/live-snapshot.ts";
import { sharingTenants, type TenantWithPrograms, tenantsOfPrograms } from "../source/find-programs.ts";
import { readPrograms } from "../source/read-programs.ts";

/** Programs of one tenant that are compared with those of others, by id. */
export type ComparedPrograms = ReadonlyMap<string, ComparedProgram>;

export interface ComparedProgram {
  /** See `programFingerprint`: equal rows have the same one, so it says which rows are worth a look. */
  readonly fingerprint: string;
  /** The digest of its detail, which contains the id. */
  readonly sha256: string;
}

/** Fewer equal programs of two tenants may be samples that both have. */
export const minShared = 5;

/** P144: whether `count` is most of the programs, and enough to be no chance. */
function isMost(count: number, { size }: ComparedPrograms): boolean {
  return count >= minShared && count * 2 > size;
}

/** The ids of added programs that another tenant has equally, by the other tenant. Rejects when the source could not be asked. */
export type FindShared = (build: AddingBuild) => Promise<ReadonlyMap<TenantId, readonly string[]>>;

export interface AddingBuild {
  readonly tenantId: TenantId;
  /** The programs that it adds. */
  readonly added: ComparedPrograms;
  /** Whether the tenant has a live snapshot already. */
  readonly isLive: boolean;
}

/**
 * P144: a failure that refuses a live tenant when most of its added programs are those of another tenant: more often a join forgets the tenant
 * than a company decides so. P145: a tenant's first snapshot and an allowed build are published with a warning.
 */
export async function sharedVerdict(
  build: AddingBuild,
  isAllowed: boolean,
  find: FindShared | undefined,
): Promise<Failure | DataProblem | undefined> {
  const { tenantId, added, isLive } = build;
  if (added.size < minShared || find === undefined) return undefined;
  const found = await find(build).catch((error: unknown) => asFailure(error));
  if (found instanceof Failure) {
    if (found.code === "interrupted") throw found;
    return warning("shared_unknown", found.message);
  }
  const shared = new Set([...found.values()].flat()).size;
  if (!isMost(shared, added)) return undefined;
  const numbers = `${shared} of ${added.size} added program(s) are those of ${named([...found.keys()].sort())}`;
  if (!isLive || isAllowed) return warning("programs_shared", numbers);
  return new Failure(
    "shared_guard",
    `Partners of tenant ${tenantId} would get another tenant's programs: ${numbers}. Look whether the views join each program ` +
      "to its own tenant by the key. If this is right, build with --allow-shared; companies that share a catalogue set SHARED_PROGRAMS=warn.",
  );
}

/** How long the source may look for other tenants' programs. */
const maxAskingMs = 60_000;

/**
 * P144: finds the programs that another tenant has with the same id and content, in its live snapshot or in its rows, which say what
 * it gets in this run. So the order of the builds does not matter. One question says which tenants have such rows: a question of its
 * own for a live tenant, since the answer may refuse its build, and one in the whole run for all first snapshots.
 */
export function findSharedPrograms(
  pool: SourcePool,
  store: ObjectStore,
  rules: ContentRules,
  signal: AbortSignal,
): FindShared {
  let ofFirst: Promise<ReadonlyMap<string, readonly TenantWithPrograms[]>> | undefined;
  const limits = { statementMs: maxAskingMs };

  async function others({ tenantId, added, isLive }: AddingBuild): Promise<readonly TenantWithPrograms[]> {
    if (isLive) return await pool.withReading((client) => tenantsOfPrograms(client, tenantId, added), limits);
    ofFirst ??= pool.withReading(sharingTenants, limits);
    return (await ofFirst).get(tenantId) ?? [];
  }

  return async (build) => {
    const { added } = build;
    const found = new Map<TenantId, readonly string[]>();
    const shared = new Set<string>();
    const asked = await others(build);
    let left = asked.reduce((sum, { programs }) => sum + programs, 0);
    for (const { tenantId, programs } of asked) {
      if (isMost(shared.size, added) || !isMost(shared.size + left, added)) break;
      left -= programs;
      const live = await liveAmong(store, tenantId, added, signal);
      const given = await pool
        .withReading((client) => programsGivenEqually(client, tenantId, rules, added))
        // Rows that cannot be read count as different.
        .catch(() => []);
      signal.throwIfAborted();
      const ids = new Set([...live, ...given]);
      if (ids.size > 0) found.set(tenantId, [...ids]);
      for (const id of ids) shared.add(id);
    }
    return found;
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
      const outcome = checkedProgram(read, rules);
      if (outcome.kind !== "published") continue;
      const { programId, rendered } = outcome;
      if (programs.get(programId)?.sha256 === rendered.detailSha256) equal.push(programId);
    }
  }
  return equal;
}

/** The programs that the other tenant has live equally. A snapshot that cannot be read has none. */
async function liveAmong(
  store: ObjectStore,
  other: TenantId,
  programs: ComparedPrograms,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const pointer = await readPointer(store, other, signal);
    if (pointer === undefined) return [];
    const live = await readLiveManifest(store, pointer.current, signal);
    return [...programs.keys()].filter((id) => live.programs.get(id)?.sha256 === programs.get(id)?.sha256);
  } catch {
    return [];
  }
}

function named(tenantIds: readonly TenantId[]): string {
  const more = tenantIds.length - maxNamed;
  return tenantIds.slice(0, maxNamed).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

const maxNamed = 3;

function warning(code: "programs_shared" | "shared_unknown", value: string): DataProblem {
  return { code, programId: null, field: null, value };
}
