import { describe, expect, test } from "vitest";
import type { MissedProgram } from "../../../cli/operate/snapshots/missed-program.ts";
import type { Miss } from "../../../cli/support/request/request-facts.ts";
import { type RegistryReading, tokenFinding } from "../../../cli/support/request/token-finding.ts";
import { judgement } from "../../../cli/support/standing/judgement.ts";
import type { ProgramFacts } from "../../../cli/support/standing/program-standing.ts";
import { judged, reading, tenantId, token, tokenId } from "../../support/judged-requests.ts";
import {
  history,
  live,
  liveWithProgram,
  newSnapshot,
  oldSnapshot,
  programFacts,
  publishable,
} from "../../support/program-facts.ts";

describe("the cause of a 404 for a program", () => {
  const missed = {
    status: 404,
    route: "detail",
    programId: "KYOTO-1",
    tenantId,
    snapshotId: newSnapshot.snapshotId,
  };

  const then = (missed: MissedProgram, fields: Partial<ProgramFacts> = {}): Miss => {
    const facts = programFacts({ store: live(), source: { kind: "absent", elsewhere: [] }, ...fields });
    return {
      missed,
      history: history(),
      now: { ...facts, ...judgement(facts), lastRunProblems: [], garbled: [] },
    };
  };

  test("is that no published version has it, and how it stands now", () => {
    const draft = { source: { kind: "not_publishable", state: "draft" } } as const;
    const miss = then({ kind: "never", snapshotsExamined: 2, isCut: false }, draft);
    const { summary, next } = judged(missed, { miss });
    expect(summary).toContain("then: no published version has it. Now: Partners do not see it (404)");
    expect(summary).toContain('the booking system calls it "draft"');
    expect(next).toEqual(miss.now.next);
  });

  test("is the build that took it out", () => {
    const miss = then({ kind: "removed", last: oldSnapshot, by: newSnapshot });
    expect(judged(missed, { miss }).summary).toContain(
      "last published with the data of 20 November 2026, 12:00 UTC, and the build of 21 November 2026, 12:00 UTC took it out",
    );
  });

  test("P48 is a rollback that took back the version with it", () => {
    const miss = then({ kind: "rolled_back", last: newSnapshot, at: "2026-11-21T13:00:00.000Z" });
    expect(judged(missed, { miss }).summary).toContain(
      "taken back by a rollback (21 November 2026, 13:00 UTC)",
    );
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
    expect(judged({ status: 404, route: "unknown" }).summary).toContain("none that the API has");
  });

  test("a 403 is the scope that the token lacks", () => {
    const narrow = token(1, { scopes: ["other.read"] });
    const { summary } = judged({ status: 403 }, { token: tokenFinding(reading(narrow), tokenId(1)) });
    expect(summary).toContain("(scope programs.read); it has: other.read");
  });

  test.each([
    [100, 100, "100 in the time of a window (the access key's own limit)"],
    [600, null, "600 in the time of a window (the limit of all, RATE_LIMIT_REQUESTS)"],
  ])("a 429 is the limit of %d, with whose it is", (limit, rateLimit, text) => {
    const limited = tokenFinding(reading(token(1, { rateLimit })), tokenId(1));
    expect(judged({ status: 429, limit }, { token: limited }).summary).toContain(text);
  });

  test("a 429 is not told whose limit it was where the access key cannot be looked up", () => {
    const away: RegistryReading = {
      kind: "unavailable",
      reason: "The store is away.",
      code: "store_unavailable",
    };
    for (const token of [tokenFinding(away, tokenId(1)), tokenFinding(reading(), tokenId(1))]) {
      const { summary } = judged({ status: 429, limit: 3, tokenId: tokenId(1) }, { token });
      expect(summary).toContain("made more requests than 3 in the time of a window. All");
    }
  });

  test("a 405 is the method", () => {
    expect(judged({ status: 405, method: "OPTIONS" }).summary).toContain(
      "The request was OPTIONS; the API only reads",
    );
  });

  test("a 400 for a program is its ill-formed id, any other the request itself", () => {
    expect(judged({ status: 400, route: "detail" }).summary).toContain("cannot be the id of a program");
    expect(judged({ status: 400, route: "unknown", cause: "2 Host headers" }).summary).toContain(
      "2 Host headers",
    );
  });

  test.each([
    ["not_found", "snapshot build --tenant acme", "Nothing was published then for the tenant"],
    ["registry_unconfirmed", "token list", "which access keys are good"],
    ["corrupt_document", "snapshot verify --tenant acme", "A published file is damaged"],
    ["store_unavailable", "store check", "did not answer, or refused"],
    ["store_denied", "store check", "did not answer, or refused"],
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
    expect(judged({ isCut: true }).summary).toContain("The partner's side ended the connection");
    expect(judged({ isCut: true, cause: "k ended early" }).summary).toContain(
      "The gateway ended the connection",
    );
  });

  test("a 200 is nothing, and it can be seen again", () => {
    const { next } = judged({ tenantId, snapshotId: newSnapshot.snapshotId, route: "legacy" });
    expect(next.commands).toEqual([
      `snapshot show --tenant acme --snapshot ${newSnapshot.snapshotId} --legacy`,
    ]);
  });
});
