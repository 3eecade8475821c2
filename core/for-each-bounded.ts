/**
 * Runs `work` for every item, at most `limit` at a time, beginning in the items' order. After the first failure no more
 * is begun; what is under way ends, then the failure is thrown.
 */
export async function forEachBounded<Item>(
  items: Iterable<Item>,
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  let failure: { readonly reason: unknown } | undefined;
  const worker = async (): Promise<void> => {
    for (let next = queue.next(); !next.done && failure === undefined; next = queue.next()) {
      await work(next.value).catch((reason: unknown) => {
        failure ??= { reason };
      });
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  if (failure !== undefined) throw failure.reason;
}
