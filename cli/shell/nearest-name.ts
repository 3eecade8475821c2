import { singleLine } from "../../core/printable.ts";

/**
 * The candidate that the author of `name` most likely meant, or `undefined` when none is near. A candidate is near when it
 * differs by at most one slip per three characters, and by three at most. A slip is a character too many, missing, wrong, or
 * exchanged with its neighbour (Damerau-Levenshtein distance, without edits inside an exchange). Upper and lower case count
 * as equal. The first of several equally near candidates wins.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > maxLength) return undefined;
  const wanted = name.toLowerCase();
  let bound = Math.min(maxSlips, Math.floor((wanted.length + 1) / 3));
  let nearest: string | undefined;
  for (const candidate of candidates) {
    const slips = slipsBetween(wanted, candidate.toLowerCase(), bound);
    if (slips > bound) continue;
    nearest = candidate;
    if (slips === 0) break;
    bound = slips - 1;
  }
  return nearest;
}

/** The question to put after an unknown name: ` Did you mean acme?`. It is empty when no candidate is near. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const nearest = nearestName(name, candidates);
  return nearest === undefined ? "" : ` Did you mean ${singleLine(nearest)}?`;
}

/** No id of the project is longer, so a longer name needs no comparison, however long it is. */
const maxLength = 128;
const maxSlips = 3;

/** The distance of two texts. Above `bound` the result is some number above `bound`. */
function slipsBetween(from: string, to: string, bound: number): number {
  if (Math.abs(from.length - to.length) > bound) return bound + 1;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const line = [row];
    for (let column = 1; column <= to.length; column++) {
      const isEqual = from[row - 1] === to[column - 1];
      const edited = Math.min(
        at(last, column) + 1,
        at(line, column - 1) + 1,
        at(last, column - 1) + (isEqual ? 0 : 1),
      );
      const isExchange = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      line.push(isExchange ? Math.min(edited, at(beforeLast, column - 2) + 1) : edited);
    }
    // The distance cannot fall below the least value of the last two lines: an exchange reaches two lines back.
    if (Math.min(...line, ...last) > bound) return bound + 1;
    beforeLast = last;
    last = line;
  }
  return at(last, to.length);
}

function at(line: readonly number[], column: number): number {
  return line[column] ?? Number.POSITIVE_INFINITY;
}
