import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { asFailure } from "../../../core/ground/failure.ts";
import { bytesBody, readBody } from "../../../core/store/object-body.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { forAllTests } from "../../support/lasting.ts";
import { key, listKeys } from "../../support/object-store-probes.ts";
import { patience } from "../../support/patience.ts";
import { sized } from "../../support/quick-pass.ts";
import { startS3Server } from "../../support/s3-server.ts";
import { type FaultKind, faultKinds } from "../../support/s3-server-faults.ts";
import { etagOf, type S3OperationName } from "../../support/s3-server-protocol.ts";

const name = key("a/object.json");
const other = key("a/other.json");
const before = Buffer.from("before ".repeat(100));
const after = Buffer.from("after ".repeat(100));

/** A call of the port, what it sends, and what it comes to when it is hit by one fault. */
interface Case {
  readonly operation: S3OperationName;
  readonly call: (store: ObjectStore) => Promise<string>;
  /** The outcome, how many requests it took, and what the object is then: its old or its new state. */
  readonly outcomes: Readonly<Record<FaultKind, Outcome>>;
}
type Outcome = readonly [outcome: string | RegExp, requests: number, state: "old" | "new" | "unchanged"];

const always = (...outcome: Outcome): Case["outcomes"] =>
  Object.fromEntries(faultKinds.map((kind) => [kind, outcome])) as Case["outcomes"];
const retried = (outcome: string, state: Outcome[2]): Case["outcomes"] => always(outcome, 2, state);

const cases: Readonly<Record<string, Case>> = {
  get: {
    operation: "GetObject",
    call: async (store) => {
      const found = await store.get(name);
      if (found.kind !== "object") return found.kind;
      const bytes = await readBody(found, 10_000, name);
      return bytes.equals(before) ? "whole body" : "other bytes";
    },
    outcomes: {
      ...retried("whole body", "unchanged"),
      // The manifest's digest finds it: the caller compares.
      corrupted: ["other bytes", 1, "unchanged"],
    },
  },
  list: {
    operation: "ListObjectsV2",
    call: async (store) => {
      const keys = await listKeys(store, "a/");
      return keys.join() === [name, other].join() ? "whole list" : "other keys";
    },
    outcomes: retried("whole list", "unchanged"),
  },
  put: {
    operation: "PutObject",
    call: async (store) => (await store.put(name, bytesBody(after))).kind,
    outcomes: retried("stored", "new"),
  },
  "put if absent": {
    operation: "PutObject",
    call: async (store) => {
      await store.delete([name]);
      return (await store.put(name, bytesBody(after), { condition: { kind: "absent" } })).kind;
    },
    outcomes: {
      ...retried("stored", "new"),
      // The repetition meets the first attempt's own write.
      reply_lost: ["refused", 2, "new"],
      // Whichever of the two the store carries out first; the other one is refused.
      late: [/^(refused|stored)$/, 2, "new"],
      cut: ["refused", 2, "new"],
      stalled: ["refused", 2, "new"],
      dripping: ["refused", 2, "new"],
      masked: ["refused", 2, "new"],
    },
  },
  "put if match": {
    operation: "PutObject",
    call: async (store) => {
      const condition = { kind: "match", etag: etagOf(before) } as const;
      return (await store.put(name, bytesBody(after), { condition })).kind;
    },
    outcomes: {
      ...always("store_unavailable", 1, "new"),
      before: ["store_unavailable", 1, "old"],
      dropped: ["store_unavailable", 1, "old"],
      corrupted: ["store_unavailable", 1, "old"],
      // P198: the store has done nothing, and says so.
      throttled: ["stored", 2, "new"],
      // So does a proxy, of a write that was done. Whoever puts reads back what was refused.
      masked: ["refused", 2, "new"],
    },
  },
  "delete many": {
    operation: "DeleteObjects",
    call: async (store) => {
      await store.delete([name, other]);
      return "deleted";
    },
    outcomes: retried("deleted", "new"),
  },
  "delete one": {
    operation: "DeleteObject",
    call: async (store) => {
      await store.delete([name]);
      return "deleted";
    },
    // No body to corrupt, neither way.
    outcomes: { ...retried("deleted", "new"), corrupted: ["deleted", 1, "new"] },
  },
};

/** The quick pass asks about reading and committing. */
const chosen = Object.entries(cases).filter(([call]) =>
  sized({ whole: true, quick: call === "get" || call === "put if match" }),
);

/** Those that end with the driver's deadline; all others the connection or the answer itself tells of. */
const endedByDeadline: ReadonlySet<FaultKind> = new Set(["late", "stalled", "dripping"]);

describe("the S3 driver under faults", () => {
  const server = forAllTests(startS3Server);
  let store: ObjectStore;
  let hasty: ObjectStore;

  beforeAll(async () => {
    store = server.openStore({ timeoutMs: patience.timeout });
    hasty = server.openStore({ timeoutMs: 150 });
  });
  afterAll(async () => {
    await store.close();
    await hasty.close();
  });

  async function prepared(): Promise<void> {
    server.reset();
    for (const each of [name, other]) await store.put(each, bytesBody(before));
    server.log.length = 0;
  }

  /** What the call comes to: its result, or the code of its failure. */
  async function outcomeOf(call: Case["call"], kind: FaultKind): Promise<string> {
    const outcome = (on: ObjectStore) => call(on).catch((error: unknown) => asFailure(error).code);
    return endedByDeadline.has(kind) ? await inTurnTime(() => outcome(hasty)) : await outcome(store);
  }

  const requestsOf = (operation: S3OperationName): number =>
    server.log.filter((request) => request.operation === operation).length;

  function stateOf(call: string): "old" | "new" | "unchanged" {
    const bytes = server.objects.get(name)?.bytes;
    const isOld = bytes?.equals(before) === true;
    if (call === "get" || call === "list") return isOld ? "unchanged" : "new";
    return isOld ? "old" : "new";
  }

  describe.each(chosen)("%s", (call, { operation, call: run, outcomes }) => {
    test.each(faultKinds)("hit once by: %s", async (kind) => {
      await prepared();
      const [outcome, requests, state] = outcomes[kind];
      server.faults.add({ kind, operation });
      const seen = await outcomeOf(run, kind);
      // A late request is carried out when its client has given up, in its own time.
      await expect.poll(() => stateOf(call)).toBe(state);
      expect(seen).toMatch(outcome);
      expect(requestsOf(operation)).toBe(requests);
    });

    const persistent: readonly FaultKind[] = ["before", "late"];
    test.each(persistent)("hit by every time: %s", async (kind) => {
      await prepared();
      server.faults.add({ kind, operation, times: 100 });
      const seen = await outcomeOf(run, kind);
      expect(seen).toBe("store_unavailable");
      // Three attempts where a repetition is harmless, else one.
      expect(requestsOf(operation)).toBe(call === "put if match" ? 1 : 3);
    });
  });

  test("a body without an announced length is refused, whole or cut: nobody could tell which", async () => {
    await prepared();
    server.quirks.connectionDelimited = true;
    for (const kind of [undefined, "cut"] as const) {
      if (kind !== undefined) server.faults.add({ kind, operation: "GetObject" });
      const seen = await store.get(name).catch((error: unknown) => asFailure(error));
      expect(seen).toMatchObject({
        code: "store_unsupported",
        message: expect.stringContaining("Content-Length"),
      });
    }
  });

  test("a signal that fires while a body is read ends it as interrupted", async () => {
    await store.put(name, bytesBody(Buffer.alloc(100_000)));
    server.faults.add({ kind: "stalled", operation: "GetObject" });
    const controller = new AbortController();
    const found = await store.get(name, { signal: controller.signal });
    if (found.kind !== "object") throw new Error("not found");
    const reading = readBody(found, 100_000, name).catch((error: unknown) => asFailure(error).code);
    controller.abort();
    expect(await reading).toBe("interrupted");
  });
});

/**
 * What a turn of the event loop counts at most: an exchange with a server of this process takes some dozens
 * of turns.
 */
const maxTurnMs = 2;

/**
 * Runs the work with timers whose time passes as the event loop turns. A deadline then tells a peer that does
 * not answer from a machine that stands still for seconds, in which this process, and a server within it,
 * can't do anything either.
 */
async function inTurnTime<Result>(work: () => Promise<Result>): Promise<Result> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    let isOver = false;
    const result = work().finally(() => (isOver = true));
    result.catch(() => {});
    for (let before = realMs(); !isOver; ) {
      await turn();
      const now = realMs();
      vi.advanceTimersByTime(Math.min(maxTurnMs, now - before));
      before = now;
    }
    return await result;
  } finally {
    vi.useRealTimers();
  }
}

const realMs = (): number => Number(process.hrtime.bigint()) / 1e6;
