/**
 * D39: tuples whose first element is the position: ordered by it, NULL last, ties by their text, so that the order in which
 * the database happens to give rows never shows. The position itself is not published and is cut off.
 */
export function byPosition(tuples: unknown[][]): unknown[][] {
  // Nearly always they come in order, and `sort` makes several arrays even of one tuple.
  const ordered = isOrdered(tuples) ? tuples : tuples.sort(comparePositions);
  return ordered.map((tuple) => tuple.slice(1));
}

function isOrdered(tuples: readonly unknown[][]): boolean {
  return tuples.every((tuple, at) => at === 0 || comparePositions(tuples[at - 1] ?? [], tuple) <= 0);
}

function comparePositions(a: unknown[], b: unknown[]): number {
  const [first, second] = [positionOf(a), positionOf(b)];
  if (first !== second) return first < second ? -1 : 1;
  const [text, other] = [JSON.stringify(a), JSON.stringify(b)];
  return text === other ? 0 : text < other ? -1 : 1;
}

function positionOf(tuple: unknown[]): number {
  return typeof tuple[0] === "number" ? tuple[0] : Number.POSITIVE_INFINITY;
}
