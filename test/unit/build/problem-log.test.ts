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
    expect(log.kept).toHaveLength(200);
    expect(log.kept.slice(0, 4).map(({ programId }) => programId)).toEqual(["e-0", "e-1", "e-2", "w-0"]);
    expect(log.omitted).toBe(103);
    expect(log.counts).toEqual({ program_name_blank: 3, url_dropped: 300 });
    expect(Object.keys(log.counts)).toEqual(["program_name_blank", "url_dropped"]);
  });

  test("are none at first", () => {
    expect(new ProblemLog()).toMatchObject({ kept: [], omitted: 0, counts: {} });
  });
});
