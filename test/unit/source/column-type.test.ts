import { describe, expect, test } from "vitest";
import { type ColumnType, typeMismatch } from "../../../cli/publish/source/column-type.ts";
import type { ColumnKind } from "../../../cli/publish/source/contract.ts";

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
    expect(typeMismatch(kind, accepted)).toBeUndefined();
  });
});

describe("other types are refused with the reason", () => {
  test.each<[ColumnKind, ColumnType, RegExp]>([
    ["text", type("jsonb"), /no text/],
    ["text", type("timestamptz"), /no text/],
    ["text", { ...type("text"), isArray: true }, /no text/],
    ["int", type("numeric"), /fractions/],
    ["int", type("float8"), /fractions/],
    ["int", type("text"), /no whole number/],
    ["int", type("bool"), /no whole number/],
    ["int", { ...type("numeric"), isArray: true }, /no whole number/],
    ["numeric", type("float4"), /decimal amounts exactly/],
    ["numeric", type("money"), /locale/],
    ["numeric", { ...type("float8"), isArray: true }, /no decimal number/],
    ["date", type("timestamptz"), /depends on a time zone/],
    ["date", type("timestamp"), /time of day/],
    ["date", type("text"), /no calendar date/],
    ["date", { ...type("date"), isArray: true }, /no calendar date/],
    ["text[]", type("text"), /single value/],
    ["text[]", type("jsonb"), /no array/],
    ["text[]", { ...type("jsonb"), isArray: true }, /no list of texts/],
  ])("%s: %o", (kind, refused, reason) => {
    expect(typeMismatch(kind, refused)).toMatch(reason);
  });
});

function type(name: string): ColumnType {
  return { shown: name, name, isArray: false, isEnum: false };
}
