import { describe, expect, test } from "vitest";
import { isAccepted } from "../../../cli/publish/source/check-structure.ts";
import type { ColumnKind } from "../../../cli/publish/source/contract.ts";
import type { ColumnType } from "../../../cli/publish/source/read-structure.ts";

describe("types that PostgreSQL casts without loss are accepted", () => {
  test.each<[ColumnKind, ColumnType]>([
    ["text", type("text")],
    ["text", type("varchar")],
    ["text", type("bpchar")],
    ["text", type("citext")],
    ["text", type("name")],
    ["text", type("uuid")],
    ["text", type("int8")],
    ["text", { ...type("program_state"), isEnum: true }],
    ["int", type("int2")],
    ["int", type("int4")],
    ["int", type("int8")],
    ["numeric", type("numeric")],
    ["numeric", type("int4")],
    ["date", type("date")],
    ["text[]", { ...type("text"), isArray: true }],
    ["text[]", { ...type("varchar"), isArray: true }],
    ["text[]", { ...type("tag"), isArray: true, isEnum: true }],
  ])("%s: %o", (kind, accepted) => {
    expect(isAccepted(kind, accepted)).toBe(true);
  });
});

describe("other types are refused", () => {
  test.each<[ColumnKind, ColumnType]>([
    ["text", type("jsonb")],
    ["text", type("timestamptz")],
    ["text", { ...type("text"), isArray: true }],
    ["int", type("numeric")],
    ["int", type("float8")],
    ["int", type("text")],
    ["int", type("bool")],
    ["int", { ...type("numeric"), isArray: true }],
    ["numeric", type("float4")],
    ["numeric", type("money")],
    ["numeric", { ...type("float8"), isArray: true }],
    ["date", type("timestamptz")],
    ["date", type("timestamp")],
    ["date", type("text")],
    ["date", { ...type("date"), isArray: true }],
    ["text[]", type("text")],
    ["text[]", type("jsonb")],
    ["text[]", { ...type("jsonb"), isArray: true }],
  ])("%s: %o", (kind, refused) => {
    expect(isAccepted(kind, refused)).toBe(false);
  });
});

function type(name: string): ColumnType {
  return { shown: name, name, isArray: false, isEnum: false };
}
