import type { Manifest, ResponseEntry } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { readEntry } from "../../../core/read-entry.ts";
import { legacyEnds, listEnds, listOrder } from "./list-form.ts";
import type { RememberedPrograms } from "./remembered-programs.ts";
import { Spool } from "./spool.ts";

/** The bytes of an element, without the commas around it. */
export interface ElementRange {
  readonly spool: Spool;
  readonly start: number;
  readonly end: number;
}

/** The elements of the live list and legacy response, by the line of their program in the memory. */
export interface LiveElements extends Disposable {
  readonly listRange: (line: number) => ElementRange;
  readonly legacyRange: (line: number) => ElementRange;
}

/**
 * Fetches the live list and legacy response. Where each element lies follows from the lengths that the memory has of them, so
 * nothing is parsed. `undefined` when the store holds anything but what the manifest vouches for.
 */
export async function liveElements(
  store: ObjectStore,
  live: Manifest,
  remembered: RememberedPrograms,
  signal: AbortSignal,
): Promise<LiveElements | undefined> {
  const list = new Spool();
  const legacy = new Spool();
  const dispose = (): void => {
    for (const spool of [list, legacy]) spool[Symbol.dispose]();
  };
  let isComplete = false;
  try {
    isComplete =
      (await isFetched(store, live.list, list, signal)) &&
      (await isFetched(store, live.legacy, legacy, signal));
    if (!isComplete) return undefined;
    const lines = publishedLines(remembered);
    const [listOpening] = listEnds(lines.length);
    const listStarts = starts(remembered, lines, listOpening.length, (line) => remembered.listBytesAt(line));
    const [legacyOpening] = legacyEnds;
    const legacyStarts = starts(remembered, lines, legacyOpening.length, (line) =>
      remembered.legacyBytesAt(line),
    );
    return {
      listRange: (line) => range(list, listStarts, line, remembered.listBytesAt(line)),
      legacyRange: (line) => range(legacy, legacyStarts, line, remembered.legacyBytesAt(line)),
      [Symbol.dispose]: dispose,
    };
  } finally {
    if (!isComplete) dispose();
  }
}

async function isFetched(
  store: ObjectStore,
  entry: ResponseEntry,
  spool: Spool,
  signal: AbortSignal,
): Promise<boolean> {
  return (await readEntry(store, entry, signal, (piece) => spool.appendBytes(piece))) === undefined;
}

/** The published programs' lines in list order. */
function publishedLines(remembered: RememberedPrograms): readonly number[] {
  const lines = Array.from({ length: remembered.count }, (_, line) => line).filter((line) =>
    remembered.isPublished(line),
  );
  const order = listOrder(lines.map((line) => remembered.departureAt(line)));
  return Array.from(order, (at) => lines[at] ?? 0);
}

/** Where the element of each line begins. */
function starts(
  remembered: RememberedPrograms,
  lines: readonly number[],
  first: number,
  bytesAt: (line: number) => number,
): Float64Array {
  const found = new Float64Array(remembered.count);
  let start = first;
  for (const line of lines) {
    found[line] = start;
    start += bytesAt(line) + 1;
  }
  return found;
}

function range(spool: Spool, found: Float64Array, line: number, bytes: number): ElementRange {
  const start = found[line] ?? 0;
  return { spool, start, end: start + bytes };
}
