import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { forEachRow } from "../../database/for-each-row.ts";
import type { ProgramView } from "./contract.ts";
import { maxSmallBytes, type SourceLimits, type SourceSizes, smallSizes } from "./source-limits.ts";
import { ofPrograms, programSumsQuery, programViews, viewSizesQuery } from "./source-queries.ts";

/** A checksum of all rows of one program id in all views, computed by PostgreSQL. */
export interface ProgramSum {
  /** The first 1,000 characters of the id; `null` for rows without one. */
  readonly programId: string | null;
  /** Equal for equal rows in any order. Unequal rows have the same sum once in 2^64. */
  readonly sum: string;
  /** A bit for each view that has rows of the program, in the order of `programViews`. */
  readonly views: number;
}

/**
 * Passes the sums of the tenant's program ids, all or `only` these, to `take`, in the order of the "C" collation, NULL last.
 * Returns the sizes of the rows.
 */
export async function readProgramSums(
  client: SourceClient,
  tenantId: TenantId,
  limits: SourceLimits,
  take: (sum: ProgramSum) => void,
  only?: readonly string[],
): Promise<SourceSizes> {
  const narrowed = (query: string): string => (only === undefined ? query : ofPrograms(query));
  const values = only === undefined ? [tenantId] : [tenantId, only];
  let isLarge = false;
  await forEachRow(client, narrowed(allSums(limits)), values, ([programId, sum, views, bytes]) => {
    if (Number(bytes) > maxSmallBytes(limits)) isLarge = true;
    take({ programId: programId ?? null, sum: sum ?? "", views: Number(views) });
  });
  if (!isLarge) return smallSizes(limits);
  const sizes: { -readonly [View in ProgramView]?: SourceSizes[View] } = { ...smallSizes(limits) };
  await forEachRow(client, narrowed(viewSizesQuery(limits)), values, ([view, largestRow, largestProgram]) => {
    sizes[view as ProgramView] = { largestRow: Number(largestRow), largestProgram: Number(largestProgram) };
  });
  return sizes;
}

/** The query is long and the same for all tenants of a run, so it is put together once. */
const sumsOf = new WeakMap<SourceLimits, string>();

function allSums(limits: SourceLimits): string {
  const query = sumsOf.get(limits) ?? programSumsQuery(limits);
  sumsOf.set(limits, query);
  return query;
}

/** How many programs that do not exist have rows in a view. */
export interface StrayRows {
  readonly view: string;
  readonly programs: number;
  readonly firstProgramId: string | null;
}

/** Finds, among the sums of a tenant, the rows of programs that the view `programs` does not have (D36). */
export class StrayTally {
  readonly #strays = new Map<string, { programs: number; readonly firstProgramId: string | null }>();

  add({ programId, views }: ProgramSum): void {
    if ((views & 1) === 1) return;
    for (const [at, view] of programViews.entries()) {
      if ((views & (1 << at)) === 0) continue;
      const stray = this.#strays.get(view);
      if (stray === undefined) this.#strays.set(view, { programs: 1, firstProgramId: programId });
      else stray.programs += 1;
    }
  }

  get rows(): readonly StrayRows[] {
    return programViews.flatMap((view) => {
      const stray = this.#strays.get(view);
      return stray === undefined ? [] : [{ view, ...stray }];
    });
  }
}
