import { singleLine } from "../../core/printable.ts";

/**
 * The candidate that the author of `name` most likely meant: the first of those with the fewest slips, at most one per three
 * characters and three in all. A slip is a character too many, missing, wrong, or exchanged with its neighbour. Upper and lower
 * case count as equal.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  // No id of the project has more than 128 characters.
  const most = name.length > 128 ? 0 : Math.min(3, Math.floor((name.length + 1) / 3));
  const near = [...candidates].filter(({ length }) => Math.abs(length - name.length) <= most);
  for (let slips = 0; slips <= most; slips += 1) {
    const found = near.find((candidate) => isWithin(slips, name.toLowerCase(), candidate.toLowerCase()));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The question to put after an unknown name: ` Did you mean acme?`. It is empty when no candidate is near. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const nearest = nearestName(name, candidates);
  return nearest === undefined ? "" : ` Did you mean ${singleLine(nearest)}?`;
}

/** Whether so many slips, or fewer, lead from one text to the other. */
function isWithin(slips: number, from: string, to: string): boolean {
  let same = 0;
  while (same < from.length && from[same] === to[same]) same += 1;
  const [a, b] = [from.slice(same), to.slice(same)];
  if (a === b || slips === 0) return a === b;
  const isExchange = a[0] === b[1] && a[1] === b[0] && a.length > 1;
  const ways = [
    [a.slice(1), b.slice(1)],
    [a.slice(1), b],
    [a, b.slice(1)],
    ...(isExchange ? [[a.slice(2), b.slice(2)]] : []),
  ] as const;
  return ways.some(([rest = "", other = ""]) => isWithin(slips - 1, rest, other));
}
