import { setImmediate as nextTurn } from "node:timers/promises";
import { vi } from "vitest";

let turns = 0;

/** Each chunk in a turn of the event loop of its own, as a store delivers them. */
export async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    await nextTurn();
    turns += 1;
    yield bytes.subarray(at, at + size);
  }
}

/** Runs `read` over chunks, and tells how many characters of JSON it parsed in one turn at the most. */
export async function mostParsedAtOnce<Result>(
  read: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly characters: number }> {
  const parsed = new Map<number, number>();
  const { parse } = JSON;
  const spy = vi.spyOn(JSON, "parse").mockImplementation((text, reviver) => {
    parsed.set(turns, (parsed.get(turns) ?? 0) + text.length);
    return parse(text, reviver);
  });
  try {
    return { result: await read(), characters: Math.max(...parsed.values()) };
  } finally {
    spy.mockRestore();
  }
}
