import {
  type Script,
  type ScriptedReply,
  type ScriptedRequest,
  type ScriptedSnapshot,
  served,
} from "./scripted-api.ts";

/** A copy: of each program its list's name, and its detail's text, or `null` before that was read. */
export type ExpectedCopy = Readonly<Record<string, readonly [name: string, text: string | null]>>;

/** One poll: what the server answers, and what the copy and the partner's own code have afterwards. */
export interface CopyPoll {
  readonly script: Script;
  readonly copy: ExpectedCopy;
  /** `+` added, `~` changed, `-` removed; nothing when left out. */
  readonly told?: string;
  readonly requests: number;
  /** Details that could not be read; none when left out. */
  readonly failed?: readonly string[];
  /** Details that are still due; none when left out. */
  readonly left?: number;
  /** The poll ends with this error; then the copy is not looked at. */
  readonly throws?: RegExp;
  readonly token?: string;
  /** 1 when left out. */
  readonly maxAttempts?: number;
}

export interface CopyCase {
  readonly title: string;
  readonly polls: readonly CopyPoll[];
}

let published = 0;

/**
 * The next snapshot of a line: these programs, and those of the one before it that are not named `undefined`.
 */
function snapshot(
  after: ScriptedSnapshot | undefined,
  changes: Readonly<Record<string, readonly [string, string] | undefined>>,
): ScriptedSnapshot {
  published += 1;
  const programs = Object.fromEntries(
    Object.entries({ ...after?.programs, ...changes }).flatMap(([id, program]) =>
      program === undefined ? [] : [[id, program] as const],
    ),
  );
  const generatedAt = new Date(Date.UTC(2027, 1, 1) + published * 60_000).toISOString();
  const id = `${generatedAt.replace(/[-:]|\.\d+/g, "")}-0a1b2c3d`;
  return { id, generatedAt, programs, after };
}

const always =
  (one: ScriptedSnapshot): Script =>
  () =>
    one;

/** The answers of a server that is behind for these requests, and of one that is not for the others. */
const behind =
  (now: ScriptedSnapshot, old: ScriptedSnapshot, isBehind: (request: ScriptedRequest) => boolean): Script =>
  (request) =>
    isBehind(request) ? old : now;

const isDetail = ({ programId }: ScriptedRequest): boolean => programId !== undefined;

const s1 = snapshot(undefined, { p1: ["one", "a"], p2: ["two", "a"] });
const withNew = snapshot(s1, { p3: ["three", "a"] });
const withText = snapshot(s1, { p1: ["one", "b"] });
const withBoth = snapshot(withText, { p3: ["three", "a"] });
const withBothTexts = snapshot(withText, { p2: ["two", "b"] });
const withoutNew = snapshot(withNew, { p3: undefined });
/** The snapshot that the server has after `killScripts`. */
export const lastOfKills = snapshot(withoutNew, { p1: ["one", "c"] });
/** The copy of the first snapshot, which most cases begin with. */
const first: CopyPoll = { script: always(s1), copy: s1.programs, told: "+p1 +p2", requests: 3 };

const sixty = (text: string): Record<string, readonly [string, string]> =>
  Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`p${at}`, [`name ${at}`, text]]));
const many = snapshot(undefined, sixty("a"));
const manyChanged = snapshot(many, sixty("b"));
const isOdd = ({ programId = "" }: ScriptedRequest): boolean => Number(programId.slice(1)) % 2 === 1;
const all = (sign: string, ids: readonly string[]): string =>
  ids
    .map((id) => sign + id)
    .sort()
    .join(" ");

/**
 * What a poll does that meets an older list for the first time: it asks once more, and waits for the next
 * poll.
 */
const held = (copy: ExpectedCopy): CopyPoll => ({ script: always(s1), copy, requests: 2 });

const behindCases: readonly CopyCase[] = [
  {
    title: "keeps a listed program whose detail is a 404 of a server that is behind",
    polls: [
      first,
      {
        script: behind(withNew, s1, isDetail),
        copy: { ...s1.programs, p3: ["three", null] },
        told: "+p3",
        requests: 2,
        failed: ["p3"],
        left: 1,
      },
      {
        script: behind(withNew, s1, isDetail),
        copy: { ...s1.programs, p3: ["three", null] },
        requests: 2,
        failed: ["p3"],
        left: 1,
      },
      { script: always(withNew), copy: withNew.programs, told: "~p3", requests: 2 },
    ],
  },
  {
    title: "keeps it also where that server is two publications behind",
    polls: [
      first,
      { script: always(withText), copy: withText.programs, told: "~p1", requests: 2 },
      {
        script: behind(withBoth, s1, isDetail),
        copy: { ...withText.programs, p3: ["three", null] },
        told: "+p3",
        requests: 2,
        failed: ["p3"],
        left: 1,
      },
      { script: always(withBoth), copy: withBoth.programs, told: "~p3", requests: 2 },
    ],
  },
  {
    title: "removes a program whose detail is a 404 of a later snapshot, which lacks it",
    polls: [
      first,
      { script: behind(withNew, withoutNew, isDetail), copy: s1.programs, told: "-p3", requests: 2 },
      { script: always(withoutNew), copy: s1.programs, requests: 1 },
    ],
  },
  {
    title: "keeps a program whose detail is a proxy's 404",
    polls: [
      first,
      {
        script: (request) => (isDetail(request) ? { status: 404 } : withText),
        copy: s1.programs,
        requests: 2,
        failed: ["p1"],
        left: 1,
      },
    ],
  },
  {
    title: "reads a detail again that came from a server that is behind",
    polls: [
      { script: always(many), copy: many.programs, told: all("+", Object.keys(many.programs)), requests: 61 },
      {
        script: behind(manyChanged, many, isOdd),
        copy: Object.fromEntries(
          Object.entries(manyChanged.programs).map(([id, [name]], at) => [
            id,
            [name, at % 2 === 1 ? "a" : "b"],
          ]),
        ),
        told: all(
          "~",
          Object.keys(many.programs).filter((_, at) => at % 2 === 0),
        ),
        requests: 61,
        left: 30,
      },
      {
        script: always(manyChanged),
        copy: manyChanged.programs,
        told: all(
          "~",
          Object.keys(many.programs).filter((_, at) => at % 2 === 1),
        ),
        requests: 31,
      },
      { script: always(manyChanged), copy: manyChanged.programs, requests: 1 },
    ],
  },
  {
    title: "does not swing between two servers that disagree, in the list or in the texts",
    polls: [
      first,
      { script: always(withBoth), copy: withBoth.programs, told: "+p3 ~p1", requests: 3 },
      held(withBoth.programs),
      { script: always(withBoth), copy: withBoth.programs, requests: 1 },
      held(withBoth.programs),
      { script: always(withBoth), copy: withBoth.programs, requests: 1 },
    ],
  },
  {
    title: "goes back to an earlier snapshot one poll later, also where a server is behind in that",
    polls: [
      first,
      { script: always(withBoth), copy: withBoth.programs, told: "+p3 ~p1", requests: 3 },
      held(withBoth.programs),
      { script: behind(s1, withBoth, isDetail), copy: withText.programs, told: "-p3", requests: 4, left: 2 },
      { script: always(s1), copy: s1.programs, told: "~p1", requests: 3 },
      { script: always(s1), copy: s1.programs, requests: 1 },
    ],
  },
];

/** The list of a snapshot with these headers in place of its own, or this body. */
const listAs =
  (one: ScriptedSnapshot, changes: Partial<ScriptedReply>): Script =>
  ({ programId, headers }) => {
    const reply = served(one, programId, headers["snapshot-since"]);
    if (programId !== undefined) return reply;
    return { ...reply, ...changes, headers: { ...reply.headers, ...changes.headers } };
  };

/**
 * A proxy repeats the header of a list, or joins the two: its changes cannot be said, so all is read again.
 */
const starredTwice = (stars: string | readonly string[]): CopyCase => ({
  title: `reads all again where Snapshot-Changed is ${JSON.stringify(stars)}`,
  polls: [
    first,
    {
      script: listAs(withText, { headers: { "snapshot-changed": stars } }),
      copy: withText.programs,
      told: "~p1",
      requests: 4,
    },
  ],
});

/** A list that is none leaves the copy as it is. */
const refusedList = (what: string, data: readonly unknown[]): CopyCase => ({
  title: `takes a list with ${what} for none`,
  polls: [
    first,
    {
      script: listAs(withText, { body: { data, meta: { count: data.length } } }),
      copy: {},
      throws: /GET \/v1\/programs: no answer \(.*a 200 that is not the API's/,
      requests: 1,
    },
    { script: always(s1), copy: s1.programs, requests: 1 },
  ],
});

const half = snapshot(s1, { p1: ["\ud83d half a character", "\ude00 and another"] });

const formCases: readonly CopyCase[] = [
  starredTwice("*, *"),
  starredTwice(["*", "*"]),
  starredTwice("p2, *"),
  {
    title: "reads what two Snapshot-Changed name, and goes by headers that stand twice",
    polls: [
      first,
      {
        script: listAs(withBothTexts, {
          headers: {
            "snapshot-changed": ["p1", "p2"],
            "snapshot-id": [withBothTexts.id, withBothTexts.id],
            "snapshot-generated-at": `${withBothTexts.generatedAt}, ${withBothTexts.generatedAt}`,
          },
        }),
        copy: withBothTexts.programs,
        told: "~p1 ~p2",
        requests: 3,
      },
      held(withBothTexts.programs),
      { script: always(withBothTexts), copy: withBothTexts.programs, requests: 1 },
    ],
  },
  refusedList("elements that have no id", [{ name: "one" }, { name: "two" }]),
  refusedList("an element that is none", [null]),
  refusedList("an empty id", [{ id: "", name: "one" }]),
  refusedList("a number for an id", [{ id: 1, name: "one" }]),
  refusedList("an id that leads elsewhere", [{ id: "..", name: "one" }]),
  refusedList("one id for two programs", [
    { id: "p1", name: "one" },
    { id: "p1", name: "two" },
  ]),
  {
    title: "keeps half of a surrogate pair as it came",
    polls: [
      { script: always(half), copy: half.programs, told: "+p1 +p2", requests: 3 },
      { script: always(half), copy: half.programs, requests: 1 },
    ],
  },
];

/** A detail that gets this answer, while the rest is that of the snapshot. */
const onDetail =
  (id: string, reply: ScriptedReply, rest: ScriptedSnapshot = s1): Script =>
  ({ programId }) =>
    programId === id ? reply : rest;

const aDay = { "retry-after": "86400" };
const names = /GET \S+: status \d+ and a wait of \d{4,5} s, more than the 15 minutes that a poll waits/;
const renamed = snapshot(s1, { p1: ["uno", "a"] });

/** One detail that cannot be read for a day, though it is asked for six times where that may help. */
const heldUpAlone = (status: number): CopyCase => ({
  title: `holds up one detail alone that is a ${status} with a long Retry-After`,
  polls: [
    {
      script: onDetail("p1", { status, headers: aDay }),
      copy: { ...s1.programs, p1: ["one", null] },
      told: "+p1 +p2",
      requests: 3,
      failed: ["p1"],
      left: 1,
      maxAttempts: 6,
    },
    { script: always(s1), copy: s1.programs, told: "~p1", requests: 2 },
  ],
});

const tooLong = (what: string, script: Script, requests: number): CopyCase => ({
  title: `ends the poll and says so after ${what}`,
  polls: [
    { script, copy: {}, throws: names, requests, maxAttempts: 6 },
    { ...first, requests: 3 },
  ],
});

const elsewhereCases: readonly CopyCase[] = [
  heldUpAlone(503),
  heldUpAlone(404),
  tooLong("a detail's 429 that asks for a day", onDetail("p1", { status: 429, headers: aDay }), 2),
  tooLong("a list's 503 that asks for a day", () => ({ status: 503, headers: aDay }), 1),
  tooLong("the last request of an hour", listAs(s1, { headers: { ratelimit: '"default";r=0;t=3600' } }), 1),
  {
    title: "keeps a detail that cannot be read after a rotation of the token",
    polls: [
      first,
      {
        script: onDetail("p1", { status: 500 }, renamed),
        token: "ppr_rotated",
        copy: renamed.programs,
        told: "~p1",
        requests: 2,
        failed: ["p1"],
        left: 1,
      },
    ],
  },
  {
    title: "reads no detail again for a field that only the list has",
    polls: [1, 2].map((turn) => ({
      script: listAs(s1, {
        body: {
          data: Object.entries(s1.programs).map(([id, [name]]) => ({ id, name, badge: "new" })),
          meta: { count: 2 },
        },
      }),
      copy: s1.programs,
      told: turn === 1 ? "+p1 +p2" : "",
      requests: turn === 1 ? 3 : 1,
    })),
  },
];

export const copyCases: readonly CopyCase[] = [...behindCases, ...formCases, ...elsewhereCases];

/**
 * Polls in which a process may be killed. In the second and third, a program comes, is gone by a detail's
 * 404, and comes back in a list of the same snapshot.
 */
export const killScripts: readonly Script[] = [
  always(s1),
  behind(withNew, withoutNew, isDetail),
  always(withNew),
  always(lastOfKills),
];
