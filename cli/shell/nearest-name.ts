import { singleLine } from "../../core/printable.ts";

/**
 * The candidate that the author of `name` most likely meant: the first of those with the fewest slips, at most one per three
 * characters and three in all. A slip is a character too many, missing, wrong, or exchanged with its neighbour. Upper and lower
 * case count as equal.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  // No id of the project has more than 128 characters.
  let bound = wanted.length > 128 ? -1 : Math.min(3, Math.floor((wanted.length + 1) / 3));
  let nearest: string | undefined;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) > bound) continue;
    const slips = slipsBetween(wanted, candidate.toLowerCase());
    if (slips > bound) continue;
    nearest = candidate;
    bound = slips - 1;
  }
  return nearest;
}

/** The question to put after an unknown name: ` Did you mean acme?`. It is empty when no candidate is near. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const nearest = nearestName(name, candidates);
  return nearest === undefined ? "" : ` Did you mean ${singleLine(nearest)}?`;
}

/** The Damerau-Levenshtein distance, without edits inside an exchange. */
function slipsBetween(from: string, to: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  const at = (line: readonly number[], column: number): number => line[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row++) {
    const line = [row];
    for (let column = 1; column <= to.length; column++) {
      const wrong = from[row - 1] === to[column - 1] ? 0 : 1;
      const isExchange = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const exchanged = isExchange ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY;
      line.push(
        Math.min(at(last, column) + 1, at(line, column - 1) + 1, at(last, column - 1) + wrong, exchanged),
      );
    }
    [beforeLast, last] = [last, line];
  }
  return at(last, to.length);
}
