import { describe, expect, test } from "vitest";
import type { ProgramPast } from "../../../cli/operate/snapshots/program-past.ts";
import type { MissingProgram } from "../../../cli/support/explain-requests.ts";
import { type RegistryReading, tokenFinding } from "../../../cli/support/facts/registry.ts";
import { judgedProgram } from "../../../cli/support/judgement/program.ts";
import type { ProgramFacts } from "../../../cli/support/judgement/standings.ts";
import { judged, reading, sent, tenantId, token, tokenId } from "../../support/judged-requests.ts";
import {
  live,
  liveWithProgram,
  newSnapshot,
  oldSnapshot,
  programFacts,
  publishable,
  reader,
} from "../../support/program-facts.ts";

describe("the cause of a 404 for a program", () => {
  const missed = {
    status: 404,
    route: "detail",
    programId: "KYOTO-1",
    tenantId,
    snapshotId: newSnapshot.snapshotId,
  };

  const then = (atTheTime: ProgramPast, fields: Partial<ProgramFacts> = {}): MissingProgram => {
    const facts = programFacts({ store: live(), source: { kind: "absent", elsewhere: [] }, ...fields });
    return {
      atTheTime,
      now: { ...facts, ...judgedProgram(facts, reader) },
    };
  };

  test("is that no published version has it, and how it stands now", () => {
    const draft = {
      source: { kind: "not_publishable", state: "draft", ifActive: [], dropped: [], lastDay: null },
    } as const;
    const miss = then({ kind: "never", snapshotsExamined: 2, isCut: false }, draft);
    const { summary, next } = judged(missed, { miss });
    expect(summary).toMatch(/no published version has it\. Now: .*\(404\)/);
    expect(summary).toContain('the source says "draft"');
    expect(next).toEqual(miss.now.next);
  });

  test("is the build that took it out", () => {
    const miss = then({ kind: "removed", last: oldSnapshot, by: newSnapshot });
    expect(judged(missed, { miss }).summary).toMatch(
      /data of 20 November 2026, 12:00 UTC, .* build of 21 November 2026, 12:00 UTC took it out/,
    );
  });

  test("P48 is a rollback that took back the version with it", () => {
    const miss = then({ kind: "rolled_back", last: newSnapshot, at: "2026-11-21T13:00:00.000Z" });
    expect(judged(missed, { miss }).summary).toContain("by a rollback (21 November 2026, 13:00 UTC)");
  });

  test("is that it came only later; the partner may ask again when it is served now", () => {
    const missedThen = { kind: "came_later", first: newSnapshot } as const;
    const served = { store: liveWithProgram(), source: publishable };
    expect(judged(missed, { miss: then(missedThen, served) }).next.text).toContain("ask again");
    expect(judged(missed, { miss: then(missedThen) }).next.text).not.toContain("ask again");
  });

  test("is left to `snapshot explain` when the store tells nothing", () => {
    expect(judged(missed).next.commands).toEqual(["snapshot explain --tenant acme --program KYOTO-1"]);
  });
});

describe("the cause of", () => {
  test("a 404 for a path is the path, which the log does not keep", () => {
    expect(judged({ status: 404, route: "unknown" }).summary).toContain("The address is none");
  });

  test("a 403 is the scope that the token lacks", () => {
    const narrow = token(1, { scopes: ["other.read"] });
    const { summary } = judged({ status: 403 }, { token: tokenFinding(reading(narrow), tokenId(1)) });
    expect(summary).toContain("(scope programs.read); it has: other.read");
  });

  test.each([
    [100, 100, / 100 in .* \(the access key's own limit\)/],
    [600, null, / 600 in .* \(the limit of all, RATE_LIMIT_REQUESTS\)/],
  ])("a 429 is the limit of %d, with whose it is", (limit, rateLimit, text) => {
    const limited = tokenFinding(reading(token(1, { rateLimit })), tokenId(1));
    expect(judged({ status: 429, limit }, { token: limited }).summary).toMatch(text);
  });

  test("a 429 is not told whose limit it was where the access key cannot be looked up", () => {
    const away: RegistryReading = {
      kind: "unavailable",
      reason: "The store is away.",
      code: "store_unavailable",
    };
    for (const token of [tokenFinding(away, tokenId(1)), tokenFinding(reading(), tokenId(1))]) {
      const { summary } = judged({ status: 429, limit: 3, tokenId: tokenId(1) }, { token });
      expect(summary).toMatch(/requests than 3 in [^(]* window\. /);
    }
  });

  test("a 405 is the method", () => {
    expect(judged({ status: 405, method: "OPTIONS" }).summary).toContain("was OPTIONS; the API only reads");
  });

  test("a 400 for a program is its ill-formed id, any other the request itself", () => {
    expect(judged({ status: 400, route: "detail" }).summary).toContain("cannot be the id");
    expect(judged({ status: 400, route: "unknown", cause: "2 Host headers" }).summary).toContain(
      "2 Host headers",
    );
  });

  test.each([
    ["not_found", "snapshot build --tenant acme", "Nothing was published then"],
    ["registry_unconfirmed", "token list", "confirm which access keys"],
    ["corrupt_document", "snapshot verify --tenant acme", "file was damaged"],
    ["store_unavailable", "store check", "did not answer"],
    ["store_denied", "store check", "or refused"],
    ["internal", "snapshot status --tenant acme", "nobody expected"],
    [null, "store check", "nobody expected"],
  ])("P51 a 500 is said in plain words, with the remedy for its code %s", (causeCode, command, words) => {
    const { summary, next } = judged({ status: 500, causeCode, cause: "tenants/x: 8 bytes.", tenantId });
    expect(summary).toContain(words);
    expect(summary).toContain("Technical detail below.");
    expect(next.commands).toContain(command);
    expect(next.steps[0]).toMatchObject({ who: "support", text: expect.stringContaining("Escalate") });
  });

  test("a 200 that was cut off is the client, or what the gateway noted", () => {
    expect(judged({ isCut: true }).summary).toContain("partner's side ended");
    expect(judged({ isCut: true, cause: "k ended early" }).summary).toContain("The gateway ended");
  });

  const served = { tenantId, snapshotId: newSnapshot.snapshotId, route: "legacy" };

  test("a 200 is nothing, and it can be seen again for as long as its snapshot is kept", () => {
    const kept = { kind: "kept", programs: 3 } as const;
    expect(judged(served, { snapshot: kept }).next.commands).toEqual([
      `snapshot show --tenant acme --snapshot ${newSnapshot.snapshotId} --legacy`,
    ]);
    const gone = judged(served, { snapshot: { kind: "not_kept" } });
    expect(gone.summary).toContain("pruned since, or");
    expect(JSON.stringify(gone.next)).not.toContain(newSnapshot.snapshotId);
  });

  test("a 200 of an empty list is told as empty", () => {
    const empty = judged(served, { snapshot: { kind: "kept", programs: 0 } });
    expect(empty.summary).toContain("an empty list");
  });

  test("a request of the past says what became of its access key since", () => {
    const snapshot = { kind: "kept", programs: 3 } as const;
    const since = (fields: Parameters<typeof token>[1]) =>
      judged(
        { ...served, tokenId: tokenId(1) },
        { snapshot, token: tokenFinding(reading(token(1, fields)), tokenId(1)) },
      ).summary;
    expect(since({})).not.toContain("Since then");
    expect(since({ revokedAt: "2026-11-21T12:00:30.000Z" })).toMatch(/Since then .* was revoked/);
    expect(since({ expiresAt: "2026-11-21T12:00:30.000Z" })).toMatch(/Since then .* expired/);
    const gone = token(1, { scopes: ["other.read"], revokedAt: "2026-11-21T12:00:30.000Z" });
    const { next } = judged({ status: 403 }, { token: tokenFinding(reading(gone), tokenId(1)) });
    expect(next.commands).toEqual(["token create --tenant acme"]);
  });

  test("a 400 for headers that are too large is not called a path", () => {
    const { summary } = judged({ status: 400, route: "unknown", method: null, cause: "HPE_HEADER_OVERFLOW" });
    expect(summary).toContain("larger than the 16 KiB");
  });

  test("a 429 names the window", () => {
    expect(judged({ status: 429, limit: 3, windowSeconds: 60 }).summary).toContain("than 3 in 60 seconds");
    expect(sent({ status: 429, limit: 3, windowSeconds: 60 })).toContain("the 3 allowed in 60 seconds");
  });
});
