import { singleLine } from "../../core/printable.ts";

/**
 * The candidate that somebody who wrote `name` most likely meant, or `undefined` when none is near: at most one slip per
 * three characters, three in all. A slip is a character too many, missing, wrong, or exchanged with its neighbour
 * (Damerau-Levenshtein distance, without edits inside an exchange); another case is none. Of equally near candidates the first.
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

/** The question that follows a name that is not known: ` Did you mean acme?`; empty when no candidate is near. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const nearest = nearestName(name, candidates);
  return nearest === undefined ? "" : ` Did you mean ${singleLine(nearest)}?`;
}

/** The most that an id of the project has, so that what is compared costs little whatever was typed. */
const maxLength = 128;
const maxSlips = 3;

/** The distance of two texts, or anything above `bound` when it is more. */
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
    // An exchange reaches two lines back, and none costs less than what it began with.
    if (Math.min(...line, ...last) > bound) return bound + 1;
    beforeLast = last;
    last = line;
  }
  return at(last, to.length);
}

function at(line: readonly number[], column: number): number {
  return line[column] ?? Number.POSITIVE_INFINITY;
}
