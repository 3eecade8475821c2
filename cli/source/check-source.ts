import type pg from "pg";
import { checkSourceRows } from "./check-rows.ts";
import { checkSourceStructure } from "./check-structure.ts";
import type { SourceLimits } from "./source-limits.ts";
import type { SourceProblem } from "./source-problem.ts";

export interface SourceReport {
  /** Whether there is an error among the problems. */
  readonly isBroken: boolean;
  /** Rows per view, `null` for an unreadable one; `null` altogether when the structure is broken. */
  readonly rows: Readonly<Record<string, number | null>> | null;
  readonly problems: readonly SourceProblem[];
}

/** The whole check: the structure first, and the rows when it is right. */
export async function checkSource(client: pg.ClientBase, limits: SourceLimits): Promise<SourceReport> {
  const structure = await checkSourceStructure(client);
  if (structure.length > 0) return { isBroken: true, rows: null, problems: structure };
  const { rows, problems } = await checkSourceRows(client, limits);
  return { isBroken: problems.some(({ severity }) => severity === "error"), rows, problems };
}
