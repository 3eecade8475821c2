import { expect, test } from "vitest";
import { createSharedWork } from "../../../gateway/body-cache.ts";

interface Run {
  readonly signal: AbortSignal;
  resolve(value: string): void;
  reject(error: Error): void;
}

/** Work whose end the test decides, as often as it is begun. */
function controlled(): { runs: Run[]; work: (signal: AbortSignal) => Promise<string> } {
  const runs: Run[] = [];
  const work = (signal: AbortSignal): Promise<string> =>
    new Promise((resolve, reject) => {
      runs.push({ signal, resolve, reject });
      signal.addEventListener("abort", () => reject(new Error("ended")));
    });
  return { runs, work };
}

test("all who ask meanwhile share one run; who asks later begins another", async () => {
  const shared = createSharedWork<string>();
  const { runs, work } = controlled();
  const asked = [shared("a", undefined, work), shared("a", undefined, work)];
  runs[0]?.resolve("first");
  expect(await Promise.all(asked)).toEqual(["first", "first"]);
  const later = shared("a", undefined, work);
  runs[1]?.reject(new Error("broken"));
  await expect(later).rejects.toThrow("broken");
  expect(runs.length).toBe(2);
});

test("the work ends with the last who leaves, and not before; who comes then begins anew", async () => {
  const shared = createSharedWork<string>();
  const { runs, work } = controlled();
  const [one, two] = [new AbortController(), new AbortController()];
  const asked = [one, two].map(({ signal }) =>
    shared("a", signal, work).catch((error: Error) => error.message),
  );
  one.abort();
  expect(runs[0]?.signal.aborted).toBe(false);
  two.abort();
  expect(runs[0]?.signal.aborted).toBe(true);
  const anew = shared("a", undefined, work);
  expect(await Promise.all(asked)).toEqual(["ended", "ended"]);
  expect(runs.length).toBe(2);
  runs[1]?.resolve("anew");
  expect(await anew).toBe("anew");
});

test("who never leaves keeps it going", () => {
  const shared = createSharedWork<string>();
  const { runs, work } = controlled();
  const one = new AbortController();
  void shared("a", undefined, work);
  void shared("a", one.signal, work);
  one.abort();
  expect(runs[0]?.signal.aborted).toBe(false);
});
