import { describe, expect, test } from "vitest";
import { ProblemLog } from "../../../cli/publish/content/problem-log.ts";

describe("the problems of a tenant", () => {
  test("are kept whole up to 200, errors before warnings, and all counted by code", () => {
    const log = new ProblemLog();
    for (let at = 0; at < 300; at += 1) {
      log.add({ code: "url_dropped", programId: `w-${at}`, field: null, value: null });
    }
    for (let at = 0; at < 3; at += 1) {
      log.add({ code: "program_name_blank", programId: `e-${at}`, field: null, value: null });
    }
    const { problems, problemsOmitted, problemCounts } = log.findings;
    expect(problems).toHaveLength(200);
    expect(problems.slice(0, 4).map(({ programId }) => programId)).toEqual(["e-0", "e-1", "e-2", "w-0"]);
    expect(problemsOmitted).toBe(103);
    expect(problemCounts).toEqual({ program_name_blank: 3, url_dropped: 300 });
    expect(Object.keys(problemCounts)).toEqual(["program_name_blank", "url_dropped"]);
  });

  test("are none at first", () => {
    expect(new ProblemLog().findings).toEqual({ problems: [], problemsOmitted: 0, problemCounts: {} });
  });
});
