import { expect, test } from "vitest";
import { structureProblems } from "../../../cli/publish/source/check-structure.ts";

const schema = { role: "generator", exists: false, isUsable: false, tables: 0, relations: [] };

test("a server that cannot hash rows is named with its version, before anything else that may be wrong", () => {
  const [problem, ...others] = structureProblems({ ...schema, serverVersion: 130_022 });
  expect(problem).toMatchObject({ severity: "error", code: "server_too_old", fix: { kind: "advice" } });
  expect(problem?.message).toMatch(/ PostgreSQL 13; 14 or later/);
  expect(others).toEqual([]);
});

test("from PostgreSQL 14 on the views are what counts", () => {
  const codes = structureProblems({ ...schema, serverVersion: 140_000 }).map(({ code }) => code);
  expect(codes).toEqual(["schema_missing"]);
});
