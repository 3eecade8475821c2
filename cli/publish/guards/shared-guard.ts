import { asFailure, Failure } from "../../../core/failure.ts";
import type { ProgramId, TenantId } from "../../../core/ids.ts";
import type { TenantContent } from "../content/tenant-content.ts";
import type { DataProblem } from "../public-program/problem.ts";
import type { Attempt } from "../tenant/attempt.ts";
import { type FindShared, minShared, type SharedPrograms } from "./shared-programs.ts";

/** What the guard against programs of other tenants says of a build. */
export type SharedVerdict =
  | { readonly kind: "fine" }
  | { readonly kind: "refused"; readonly failure: Failure }
  /** It is published, with this warning. */
  | { readonly kind: "told"; readonly problem: DataProblem };

/** How much is asked. If there are more added programs than `maxCompared`, an even sample decides. */
const askedOfLive = { maxCompared: 1000, maxAskingMs: 60_000 };
/** The first snapshots of many tenants are built in one run, and each question reads all tenants' program ids. */
const askedOfFirst = { maxCompared: 100, maxAskingMs: 10_000 };

/**
 * P144: refuses a live tenant whose added programs are for the most part another tenant's: more often a join that forgets
 * the tenant than a decision. P145: a tenant's first snapshot is published with a warning, and so is what was allowed.
 */
export async function sharedVerdict(
  { tenantId, options, pointer, live, context }: Attempt,
  { programs, counts }: Pick<TenantContent, "programs" | "counts">,
  find: FindShared | undefined,
): Promise<SharedVerdict> {
  if (counts.added < minShared || find === undefined) return { kind: "fine" };
  const { maxCompared, maxAskingMs } = pointer === undefined ? askedOfFirst : askedOfLive;
  const added = [...programs.ids()].filter((id) => live?.programs.has(id) !== true);
  const ids = sample(added, maxCompared);
  let shared: SharedPrograms;
  try {
    const digests = new Map(ids.map((id) => [id, programs.get(id)?.sha256 ?? ""]));
    shared = await find(tenantId, digests, maxAskingMs);
  } catch (error) {
    context.signal.throwIfAborted();
    return { kind: "told", problem: problem("shared_unknown", asFailure(error).message) };
  }
  const count = new Set([...shared.values()].flatMap((found) => [...found])).size;
  if (count < minShared || count * 2 <= ids.length) return { kind: "fine" };
  const numbers = `${count} of ${ids.length} added program(s) are those of ${named([...shared.keys()])}`;
  if (pointer === undefined || options.allowShared) {
    return { kind: "told", problem: problem("programs_shared", numbers) };
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

function sample(ids: readonly ProgramId[], maxLength: number): readonly ProgramId[] {
  const step = Math.max(1, ids.length / maxLength);
  const length = Math.min(ids.length, maxLength);
  return Array.from({ length }, (_, at) => ids[Math.floor(at * step)]).filter((id) => id !== undefined);
}

function named(tenantIds: readonly TenantId[]): string {
  const more = tenantIds.length - maxNamed;
  return tenantIds.slice(0, maxNamed).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

const maxNamed = 3;

function problem(code: "programs_shared" | "shared_unknown", value: string): DataProblem {
  return { code, programId: null, field: null, value };
}
