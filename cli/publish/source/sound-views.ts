import { contractViews, sqlTypes } from "./contract.ts";
import { type FromView, wholeView } from "./program-queries.ts";
import type { SourceProblem } from "./source-problem.ts";

/** What can be read of views of which some break the contract. */
export interface SoundViews {
  /** A view that breaks the contract gives no rows, but `programs` its sound columns, the others as NULL. */
  readonly from: FromView;
  /** Whether the rows of a place are read, so that they can have findings. */
  isRead(place: Pick<SourceProblem, "view" | "column">): boolean;
  /** The views, and the columns of `programs`, that are not read. */
  readonly unread: readonly string[];
}

/**
 * D135: one check tells all, so the rows of sound views are looked at though others have errors. `undefined`
 * when there is nothing to go by: without tenants, or the ids of programs.
 */
export function soundViews(problems: readonly SourceProblem[]): SoundViews | undefined {
  const faulty = new Set(problems.map(({ view }) => view));
  const ofPrograms = problems.filter(({ view }) => view === "programs");
  const isColumn = ({ column }: SourceProblem) => column !== null && !/^(tenant|program)_id$/.test(column);
  if (faulty.has(null) || faulty.has("tenants") || !ofPrograms.every(isColumn)) return undefined;
  const unreadColumns = new Set(ofPrograms.map(({ column }) => column));
  const from: FromView = (view) => {
    if (!faulty.has(view)) return wholeView(view);
    const isPartly = view === "programs";
    const columns = Object.entries(contractViews.find(({ name }) => name === view)?.columns ?? {}).map(
      ([column, kind]) =>
        isPartly && !unreadColumns.has(column) ? column : `NULL::${sqlTypes[kind]} AS ${column}`,
    );
    return `(SELECT ${columns.join(", ")} ${isPartly ? `FROM ${wholeView(view)}` : "WHERE false"}) AS ${view}`;
  };
  return {
    from,
    isRead: ({ view, column }) =>
      !faulty.has(view) || (view === "programs" && column !== null && !unreadColumns.has(column)),
    unread: [...faulty].flatMap((view) => {
      if (view !== "programs") return view ?? [];
      return [...unreadColumns].map((column) => `programs.${column}`);
    }),
  };
}
