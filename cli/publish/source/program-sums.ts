import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { forEachRow } from "../../database/for-each-row.ts";
import type { ProgramView } from "./contract.ts";
import { programViews } from "./source-columns.ts";
import { isSmall, type SmallViews, type SourceLimits } from "./source-limits.ts";
import { guardedSumsQuery, ofPrograms, programSumsQuery, viewSizesQuery } from "./source-queries.ts";

/** A checksum of all rows of one program id in all views, computed by PostgreSQL. */
export interface ProgramSum {
  /** The first 1,000 characters of the id; `null` for rows without one. */
  readonly programId: string | null;
  /** Equal for equal rows in any order. Unequal rows have the same sum once in 2^64. */
  readonly sum: string;
  /** A bit for each view that has rows of the program, in the order of `programViews`. */
  readonly views: number;
}

/** The sums of a tenant's programs, and which views hold nothing large. */
export interface ProgramSums {
  /** In the order of the ids in the "C" collation; the sum of the rows without an id last. */
  readonly sums: readonly ProgramSum[];
  readonly small: SmallViews;
}

/** Asks for the sums of the tenant's program ids, all or `only` these. */
export async function readProgramSums(
  client: SourceClient,
  tenantId: TenantId,
  limits: SourceLimits,
  only?: readonly string[],
): Promise<ProgramSums> {
  const narrowed = (query: string): string => (only === undefined ? query : ofPrograms(query));
  const values = only === undefined ? [tenantId] : [tenantId, only];
  const plain = await sumsBy(client, narrowed(plainSums(limits)), values);
  const small = new Set(programViews);
  // No row is larger than its program, and none of its views has more than all together.
  if (isSmall(plain.largestProgram, plain.largestProgram, limits)) return { sums: plain.sums, small };
  const isWhole = plain.largestProgram <= limits.maxValueBytes;
  const { sums } = isWhole ? plain : await sumsBy(client, narrowed(guardedSumsQuery(limits)), values);
  await forEachRow(client, narrowed(viewSizesQuery(limits)), values, ([view, largestRow, largestProgram]) => {
    if (!isSmall(Number(largestRow), Number(largestProgram), limits)) small.delete(view as ProgramView);
  });
  return { sums, small };
}

/** `largestProgram`: the bytes of all rows of one program, at most. */
async function sumsBy(
  client: SourceClient,
  query: string,
  values: readonly unknown[],
): Promise<{ readonly sums: readonly ProgramSum[]; readonly largestProgram: number }> {
  const sums: ProgramSum[] = [];
  let largestProgram = 0;
  await forEachRow(client, query, values, ([programId, sum, views, bytes]) => {
    largestProgram = Math.max(largestProgram, Number(bytes));
    sums.push({ programId: programId ?? null, sum: sum ?? "", views: Number(views) });
  });
  return { sums, largestProgram };
}

/** The query is long and the same for all tenants of a run, so it is put together once. */
const plainQueries = new WeakMap<SourceLimits, string>();

function plainSums(limits: SourceLimits): string {
  const query = plainQueries.get(limits) ?? programSumsQuery(limits);
  plainQueries.set(limits, query);
  return query;
}

/** How many programs that do not exist have rows in a view. */
export interface StrayRows {
  readonly view: string;
  readonly programs: number;
  readonly firstProgramId: string | null;
}

/** Finds, among the sums of a tenant, the rows of programs that the view `programs` does not have (D36). */
export function strayRows(sums: readonly ProgramSum[]): readonly StrayRows[] {
  const ofUnknown = sums.filter(({ views }) => (views & 1) === 0);
  return programViews.flatMap((view, at) => {
    const [first, ...others] = ofUnknown.filter(({ views }) => (views & (1 << at)) !== 0);
    return first === undefined
      ? []
      : [{ view, programs: 1 + others.length, firstProgramId: first.programId }];
  });
}
