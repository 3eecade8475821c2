import { describe, expect, test } from "vitest";
import { type RequestLogLine, requestLine } from "../../../cli/operate/gateway-log/request-line.ts";
import {
  type Certificate,
  createCertifier,
  type StatedConnections,
} from "../../../cli/partners/certify/certificate.ts";
import { type Finding, type RuleName, ruleNames } from "../../../cli/partners/certify/rule.ts";
import { heapMb } from "../../support/heap-mb.ts";

const tokenId = "tok_0000000000000001";
const other = "tok_0000000000000002";
const start = Date.parse("2027-02-01T00:00:00Z");

interface Seen extends Partial<RequestLogLine> {
  /** When it ended, in seconds. */
  readonly at: number;
}

function line({ at, ...own }: Seen, number: number): RequestLogLine {
  const parsed = requestLine(
    JSON.stringify({
      msg: "request",
      time: new Date(start + at * 1000).toISOString(),
      requestId: `r${number}`,
      tokenId,
      tenantId: "acme",
      route: "list",
      method: "GET",
      status: 200,
      durationMs: 5,
      snapshotId: "s1",
      connection: "a-1",
      nth: number + 1,
      acceptsGzip: true,
      encoding: "gzip",
      ...own,
    }),
  );
  if (parsed === undefined) throw new Error("not a line");
  return parsed;
}

function certified(seen: readonly Seen[], stated?: StatedConnections): Certificate {
  const certifier = createCertifier(tokenId, stated);
  seen.map(line).forEach(certifier.see);
  const certificate = certifier.certificate();
  if (certificate === undefined) throw new Error("nothing of the token");
  return certificate;
}

function finding(rule: RuleName, seen: readonly Seen[], stated?: StatedConnections): Finding {
  const found = certified(seen, stated).rules.find((each) => each.rule === rule);
  if (found === undefined) throw new Error(`no rule ${rule}`);
  return found;
}

const every = (count: number, seconds: number, own: (at: number) => Partial<Seen> = () => ({})): Seen[] =>
  Array.from({ length: count }, (_, at) => ({ at: at * seconds, ...own(at) }));

/** Polls every two minutes, each followed by three details over the same connection. */
const goodClient = Array.from({ length: 8 }, (_, poll) => {
  const at = poll * 120;
  const connection = `a-${poll}`;
  const own = { connection, snapshotId: `s${poll}` };
  return [
    { at, nth: 1, ...own },
    ...[1, 2, 3].map((nth) => ({
      at: at + nth / 10,
      route: "detail",
      programId: `p${nth}`,
      nth: nth + 1,
      ...own,
    })),
  ];
}).flat();

describe("the certificate of a client", () => {
  test("that does all well passes, and names what it gave no occasion to judge", () => {
    const certificate = certified(goodClient);
    expect([certificate.verdict, certificate.requests, certificate.tenantId]).toEqual(["pass", 32, "acme"]);
    expect(certificate.rules.map(({ rule }) => rule)).toEqual(ruleNames);
    expect(certificate.rules.filter(({ verdict }) => verdict === "not-seen").map(({ rule }) => rule)).toEqual(
      ["retry-after", "ended-token"],
    );
    expect(certificate.rules.flatMap(({ examples, advice }) => [...examples, advice ?? []].flat())).toEqual(
      [],
    );
  });

  test("is none without a request of the token", () => {
    const certifier = createCertifier(tokenId, undefined);
    certifier.see(line({ at: 0, tokenId: other }, 0));
    expect(certifier.certificate()).toBeUndefined();
  });

  test("W82 of a log without the newer fields judges the rest", () => {
    const old = { connection: null, nth: null, acceptsGzip: null, encoding: null };
    const { verdict, rules } = certified(goodClient.map((seen) => ({ ...seen, ...old })));
    expect(verdict).toBe("pass");
    expect(rules.filter((each) => each.verdict === "not-seen").map(({ rule }) => rule)).toEqual([
      "gzip",
      "keep-alive",
      "retry-after",
      "ended-token",
    ]);
  });

  test("names three requests for each broken rule, and what to do", () => {
    const found = finding(
      "gzip",
      every(40, 60, () => ({ acceptsGzip: false })),
    );
    expect(found).toMatchObject({ verdict: "fail", examples: ["r0", "r1", "r2"] });
    expect(found.advice).toContain("Accept-Encoding: gzip");
  });
});

describe("rule by rule", () => {
  test("gzip: one answer in twenty may be asked for without", () => {
    const one = (count: number) =>
      finding(
        "gzip",
        every(count, 60, (at) => ({ acceptsGzip: at > 0 })),
      ).verdict;
    expect([one(19), one(20)]).toEqual(["fail", "pass"]);
    // What counts is what the client sent.
    expect(
      finding(
        "gzip",
        every(9, 60, () => ({ encoding: "identity" })),
      ).verdict,
    ).toBe("pass");
  });

  test("keep-alive: more than half of the requests that follow closely open a connection", () => {
    const opening = (count: number) =>
      finding(
        "keep-alive",
        every(11, 1, (at) => ({ nth: at <= count ? 1 : 2 })),
      ).verdict;
    expect([opening(5), opening(6)]).toEqual(["pass", "fail"]);
    expect(
      finding(
        "keep-alive",
        every(11, 60, () => ({ nth: 1 })),
      ).verdict,
    ).toBe("not-seen");
  });

  test("keep-alive: nothing is judged by a proxy's connections, said or seen to be one", () => {
    const opening = every(11, 1, () => ({ nth: 1 }));
    expect(finding("keep-alive", opening, "proxy").verdict).toBe("not-seen");
    const shared = [...opening, { at: 12, tokenId: other }];
    expect(finding("keep-alive", shared)).toMatchObject({
      verdict: "not-seen",
      summary: expect.stringContaining("--direct"),
    });
    expect(finding("keep-alive", shared, "own").verdict).toBe("fail");
    expect(finding("keep-alive", [...opening, { at: 12, tokenId: other, connection: "a-2" }]).verdict).toBe(
      "fail",
    );
  });

  test("retry-after: a request that begins before the time is over is too early", () => {
    const refused = { status: 429, retryAfter: 30, acceptsGzip: null };
    const next = (at: number, own: Partial<Seen> = {}) =>
      finding("retry-after", [
        { at: 0, ...refused },
        { at, ...own },
      ]).verdict;
    expect([next(29), next(30.1)]).toEqual(["fail", "pass"]);
    // It was on its way when the other was refused.
    expect(next(2, { durationMs: 2500 })).toBe("pass");
    // It was on its way to the gateway: one round trip of a client that asks side by side.
    expect([next(0.09), next(0.3)]).toEqual(["pass", "fail"]);
    expect(
      finding(
        "retry-after",
        every(3, 40, () => refused),
      ).verdict,
    ).toBe("pass");
    expect(
      finding(
        "retry-after",
        every(3, 20, () => refused),
      ),
    ).toMatchObject({
      verdict: "fail",
      counts: { refused: 3, early: 2 },
    });
  });

  test("quota: one request in a hundred may be refused", () => {
    const refusals = (count: number) =>
      finding(
        "quota",
        every(count, 60, (at) => (at === 0 ? { status: 429 } : {})),
      ).verdict;
    expect([refusals(99), refusals(100)]).toEqual(["fail", "pass"]);
    // What does not count towards the quota does not make it larger.
    const uncounted = every(50, 60, () => ({ status: 405 }));
    expect(finding("quota", [{ at: 0, status: 429 }, ...every(50, 60), ...uncounted]).verdict).toBe("fail");
  });

  test("polling: more than half of the intervals between two lists are below 30 seconds", () => {
    expect(finding("polling", every(8, 29)).verdict).toBe("fail");
    expect(finding("polling", every(8, 31)).verdict).toBe("pass");
    expect(finding("polling", every(5, 1)).verdict).toBe("not-seen");
    expect(
      finding(
        "polling",
        every(8, 1, () => ({ route: "legacy" })),
      ).verdict,
    ).toBe("fail");
    expect(
      finding(
        "polling",
        every(80, 1, (at) => ({ route: at % 40 === 0 ? "list" : "detail" })),
      ).verdict,
    ).toBe("not-seen");
  });

  test("rereads: the same detail of the same snapshot again", () => {
    const read = (programs: number, snapshots: number) =>
      finding(
        "rereads",
        every(40, 1, (at) => ({
          route: "detail",
          programId: `p${at % programs}`,
          snapshotId: `s${Math.floor((at * snapshots) / 40)}`,
        })),
      ).verdict;
    expect([read(40, 1), read(10, 1), read(10, 4)]).toEqual(["pass", "fail", "pass"]);
  });

  test("rereads: what a rollback and the return from it make a client read again is not counted", () => {
    const details = (snapshotId: string) =>
      every(20, 1, (at) => ({ route: "detail", programId: `p${at}`, snapshotId }));
    const polls = (...snapshotIds: string[]) =>
      snapshotIds.flatMap((snapshotId) => [{ at: 0, snapshotId }, ...details(snapshotId)]);
    expect(finding("rereads", polls("s1", "s2", "s1", "s2"))).toMatchObject({
      verdict: "pass",
      counts: { details: 80, readBefore: 0 },
    });
    expect(finding("rereads", polls("s1", "s2", "s2", "s2")).verdict).toBe("fail");
  });

  test("legacy, methods: one request is enough", () => {
    expect(finding("legacy", [...goodClient, { at: 999, route: "legacy" }]).verdict).toBe("fail");
    expect(finding("methods", [...goodClient, { at: 999, status: 405 }])).toMatchObject({
      verdict: "fail",
      examples: ["r32"],
    });
  });

  test("ended-token: at most five more requests after the first refusal", () => {
    const refused = (count: number) =>
      finding(
        "ended-token",
        every(count, 60, () => ({ status: 401, causeCode: "revoked_token" })),
      ).verdict;
    expect([refused(1), refused(6), refused(7)]).toEqual(["pass", "pass", "fail"]);
  });
});

test("W83 keeps what it remembers bounded: connections, details and snapshots without end", () => {
  const certifier = createCertifier(tokenId, undefined);
  const usual = line({ at: 0, route: "detail" }, 0);
  const see = (from: number, count: number): void => {
    for (let at = from; at < from + count; at += 1) {
      const own = { programId: `program-${at}`, snapshotId: `s${at >> 18}`, connection: `a-${at}` };
      certifier.see({ ...usual, ...own });
    }
  };
  see(0, 60_000);
  const before = heapMb();
  see(60_000, 140_000);
  expect(heapMb() - before).toBeLessThan(4);
});
