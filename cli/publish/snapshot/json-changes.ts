/** One difference between two JSON documents, at a path like `prices.rooms[0].amount`. */
export type JsonChange =
  | { readonly kind: "added"; readonly path: string; readonly after: unknown }
  | { readonly kind: "removed"; readonly path: string; readonly before: unknown }
  | { readonly kind: "changed"; readonly path: string; readonly before: unknown; readonly after: unknown };

/**
 * The changes from one document to the other, in the order of the fields. Elements of arrays are matched by content first, so
 * that a new element in front is one addition and not a change of all others. Indices of removed elements count in the old array,
 * all others in the new one.
 */
export function jsonChanges(before: unknown, after: unknown, path = ""): JsonChange[] {
  if (before === after || text(before) === text(after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return arrayChanges(before, after, path);
  if (isRecord(before) && isRecord(after)) return recordChanges(before, after, path);
  return [{ kind: "changed", path, before, after }];
}

type JsonRecord = Readonly<Record<string, unknown>>;

function recordChanges(before: JsonRecord, after: JsonRecord, path: string): JsonChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name): JsonChange[] => {
    const at = path === "" ? name : `${path}.${name}`;
    if (!Object.hasOwn(before, name)) return [{ kind: "added", path: at, after: after[name] }];
    if (!Object.hasOwn(after, name)) return [{ kind: "removed", path: at, before: before[name] }];
    return jsonChanges(before[name], after[name], at);
  });
}

function arrayChanges(before: readonly unknown[], after: readonly unknown[], path: string): JsonChange[] {
  const changes: JsonChange[] = [];
  let [from, to] = [0, 0];
  for (const [nextFrom, nextTo] of [
    ...commonElements(before, after),
    [before.length, after.length] as const,
  ]) {
    // Between two common elements, elements at the same place were changed. The surplus was removed or added.
    while (from < nextFrom || to < nextTo) {
      const [old, young] = [before[from], after[to]];
      if (from < nextFrom && to < nextTo) changes.push(...jsonChanges(old, young, `${path}[${to}]`));
      else if (from < nextFrom) changes.push({ kind: "removed", path: `${path}[${from}]`, before: old });
      else changes.push({ kind: "added", path: `${path}[${to}]`, after: young });
      if (from < nextFrom) from += 1;
      if (to < nextTo) to += 1;
    }
    [from, to] = [nextFrom + 1, nextTo + 1];
  }
  return changes;
}

/** Longest common subsequence, as index pairs. Arrays too long for the table are compared place by place. */
function commonElements(
  before: readonly unknown[],
  after: readonly unknown[],
): readonly (readonly [number, number])[] {
  const [old, young] = [before.map(text), after.map(text)];
  if (old.length * young.length > maxTableCells) {
    return old.flatMap((element, at) => (element === young[at] ? [[at, at] as const] : []));
  }
  const width = young.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  const lengthAt = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = young.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        old[i] === young[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < old.length && j < young.length; ) {
    if (old[i] === young[j]) pairs.push([i++, j++]);
    else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}

const maxTableCells = 1_000_000;

/** Keys come in a fixed order in all stored documents, so equal values have equal texts. */
function text(value: unknown): string {
  return JSON.stringify(value) ?? "undefined";
}

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
