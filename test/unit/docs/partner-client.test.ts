import { createServer } from "node:http";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type PollOptions, poll } from "../../../docs/client/programs-poll.ts";
import { createRequester, ProgramsApiError, type Requester } from "../../../docs/client/programs-request.ts";
import { stateInMemory } from "../../../docs/client/programs-state.ts";
import { openServer } from "../../support/open-server.ts";
import { sized } from "../../support/quick-pass.ts";

/**
 * A snapshot: of each program the list's name, the detail's text, and the snapshot in which the detail last
 * changed.
 */
interface Snapshot {
  readonly id: string;
  readonly generatedAt: string;
  /** The snapshots before it in its line, newest first. */
  readonly ancestors: readonly string[];
  readonly programs: ReadonlyMap<string, { name: number; text: number; changedIn: string }>;
}

/** What happens: a publication that changes some programs, the way back to an earlier snapshot, or a poll. */
const step = fc.oneof(
  fc.record({
    publish: fc.dictionary(
      fc.constantFrom("a", "b", "c", "d"),
      fc.constantFrom("name", "text", "text", "gone"),
    ),
  }),
  fc.record({ rollBackTo: fc.nat(9) }),
  fc.record({
    /** The answers, in order, that come from a server that is a publication behind. */
    behind: fc.array(fc.boolean(), { maxLength: 6 }),
    failing: fc.subarray(["a", "b", "c", "d"]),
    knowsSince: fc.boolean(),
  }),
);

test("a detail is that of the snapshot that the copy claims for it, and in the end of the last", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 25, size: "max" }), async (steps) => {
      const all: Snapshot[] = [{ id: "s0", generatedAt: timeOf(0), ancestors: [], programs: new Map() }];
      let [live, before] = [all[0] as Snapshot, all[0] as Snapshot];
      const state = stateInMemory();
      const options: PollOptions = { state, refreshPerPoll: 1, askAgainMs: 0 };
      for (const each of steps) {
        if ("publish" in each) {
          before = live;
          live = next(live, all.length, each.publish);
          all.push(live);
        } else if ("rollBackTo" in each) {
          before = live;
          live = all[each.rollBackTo % all.length] ?? live;
        } else {
          const behind = [...each.behind];
          const server = (): Snapshot => (behind.shift() === true ? before : live);
          await poll(requester(server, each.failing, each.knowsSince), options);
          for (const [id, { detail, snapshotId }] of Object.entries((await state.load())?.programs ?? {})) {
            const claimed = all.find((snapshot) => snapshot.id === snapshotId);
            if (claimed !== undefined) expect(detail).toEqual({ text: claimed.programs.get(id)?.text });
          }
        }
      }
      const settled = requester(() => live, [], true);
      for (let polls = 0; polls < 5; polls += 1) await poll(settled, options);
      const { programs, waitingForRefresh } = await poll(settled, options);
      const shown = [...programs].map(([id, { item, detail }]) => [id, item.name, detail]);
      expect(shown).toEqual([...live.programs].map(([id, { name, text }]) => [id, name, { text }]));
      expect(waitingForRefresh).toBe(0);
    }),
    { numRuns: sized({ whole: 1000, quick: 100 }) },
  );
});

/** The snapshots in the order in which they were published, also after a way back. */
const timeOf = (count: number): string => new Date(Date.UTC(2027, 1, 1) + count * 1000).toISOString();

function next(live: Snapshot, count: number, changes: Readonly<Record<string, string>>): Snapshot {
  const id = `s${count}`;
  const programs = new Map(live.programs);
  for (const [programId, change] of Object.entries(changes)) {
    const { name = 0, text = 0 } = programs.get(programId) ?? {};
    if (change === "gone") programs.delete(programId);
    else if (change === "name") programs.set(programId, { name: name + 1, text, changedIn: id });
    else programs.set(programId, { name, text: text + 1, changedIn: id });
  }
  return { id, generatedAt: timeOf(count), ancestors: [live.id, ...live.ancestors], programs };
}

function changedSince({ id, ancestors, programs }: Snapshot, since: string): readonly string[] | undefined {
  const line = [id, ...ancestors];
  if (!line.includes(since)) return undefined;
  const later = line.slice(0, line.indexOf(since));
  return [...programs]
    .filter(([, { changedIn }]) => later.includes(changedIn))
    .map(([programId]) => programId);
}

function requester(server: () => Snapshot, failing: readonly string[], knowsSince: boolean): Requester {
  return {
    async get(path, _isData, { since = "" } = {}) {
      const snapshot = server();
      const { id: snapshotId, generatedAt } = snapshot;
      const answer = { snapshotId, generatedAt, requestId: "", changedIds: undefined };
      const id = path.replace("/v1/programs/", "");
      if (id === path) {
        const data = [...snapshot.programs].map(([id, { name }]) => ({ id, name }));
        const changedIds = knowsSince ? changedSince(snapshot, since) : undefined;
        return { ...answer, status: 200, changedIds, body: { data, meta: { count: data.length } } };
      }
      if (failing.includes(id)) throw new ProgramsApiError(path, 500, "");
      const program = snapshot.programs.get(id);
      if (program === undefined) return { ...answer, status: 404, body: undefined };
      return { ...answer, status: 200, body: { data: { id, name: program.name, text: program.text } } };
    },
    pause: () => Promise.resolve(),
    waitMs: () => 0,
    secondsFor: () => 0,
    source: "the same token",
    count: 0,
  };
}

test("the client for partners starts no pause once its signal is aborted, and asks nothing more", async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    const headers = { "snapshot-id": "20270201T031500Z-0a1b2c3d", ratelimit: '"default";r=0;t=3600' };
    response.writeHead(200, headers).end("{}");
  });
  const { url: baseUrl, close } = await openServer(server);
  try {
    const stop = new AbortController();
    const requester = createRequester({ baseUrl, token: "ppr_any", signal: stop.signal });
    await requester.get("/v1/programs", () => true);
    stop.abort(new Error("the service ends"));
    await expect(requester.get("/v1/programs/a", () => true)).rejects.toThrow("the service ends");
    expect(asked).toBe(1);
  } finally {
    await close();
  }
});
