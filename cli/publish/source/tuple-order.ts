/** A row of a view whose rows are ordered; `null`: anywhere behind those with a position. */
type Positioned<Rest extends readonly unknown[]> = readonly [position: number | null, ...Rest];

/**
 * D39: the rows by position, NULL last, ties by their text, so that the order in which the database happens to give rows never
 * shows. The position itself is not published and is cut off.
 */
export function byPosition<Rest extends readonly unknown[]>(tuples: Positioned<Rest>[]): Rest[] {
  // Nearly always they come in order, and `sort` makes several arrays even of one tuple.
  const ordered = isOrdered(tuples) ? tuples : tuples.sort(comparePositions);
  return ordered.map(([, ...rest]) => rest);
}

function isOrdered(tuples: readonly Positioned<readonly unknown[]>[]): boolean {
  return tuples.every((tuple, at) => {
    const before = tuples[at - 1];
    return before === undefined || comparePositions(before, tuple) <= 0;
  });
}

function comparePositions(a: Positioned<readonly unknown[]>, b: Positioned<readonly unknown[]>): number {
  const [first, second] = [positionOf(a), positionOf(b)];
  if (first !== second) return first < second ? -1 : 1;
  const [text, other] = [JSON.stringify(a), JSON.stringify(b)];
  return text === other ? 0 : text < other ? -1 : 1;
}

function positionOf(tuple: Positioned<readonly unknown[]>): number {
  return tuple[0] ?? Number.POSITIVE_INFINITY;
}
