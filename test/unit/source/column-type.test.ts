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
    expect(typeMismatch("c", kind, accepted)).toBeUndefined();
  });
});

describe("other types are refused with the reason and a cast", () => {
  test.each<[ColumnKind, ColumnType, RegExp, string]>([
    [
      "text",
      type("jsonb"),
      /no text/,
      "CASE WHEN jsonb_typeof(c::jsonb) NOT IN ('object', 'array') THEN c::jsonb #>> '{}' END",
    ],
    ["text", { ...type("jsonb"), isArray: true }, /no text/, "c::text"],
    ["text", type("timestamptz"), /no text/, "c::text"],
    ["text", { ...type("text"), isArray: true }, /no text/, "c::text"],
    ["int", type("numeric"), /fractions/, "c::integer"],
    ["int", type("float8"), /fractions/, "c::integer"],
    ["int", type("text"), /no whole number/, "c::integer"],
    ["numeric", type("float4"), /decimal amounts exactly/, "c::numeric"],
    ["numeric", type("money"), /locale/, "c::numeric"],
    ["date", type("timestamptz"), /depends on a time zone/, "(c AT TIME ZONE 'UTC')::date"],
    ["date", type("timestamp"), /time of day/, "c::date"],
    ["date", type("text"), /no calendar date/, "c::date"],
    ["int", type("bool"), /no whole number/, "c::integer"],
    ["int", type("jsonb"), /no whole number/, "c::integer"],
    ["int", type("json"), /no whole number/, "c::text::integer"],
    ["int", { ...type("numeric"), isArray: true }, /no whole number/, "c::text::integer"],
    ["numeric", type("bool"), /no decimal number/, "c::text::numeric"],
    ["numeric", { ...type("float8"), isArray: true }, /no decimal number/, "c::text::numeric"],
    ["date", type("json"), /no calendar date/, "(c #>> '{}')::date"],
    ["date", type("int4"), /no calendar date/, "c::text::date"],
    ["date", { ...type("timestamp"), isArray: true }, /no calendar date/, "c::text::date"],
    ["text[]", type("text"), /single value/, "string_to_array(c::text, ',')"],
    [
      "text[]",
      { ...type("jsonb"), isArray: true },
      /no list of texts/,
      "CASE WHEN c IS NOT NULL THEN ARRAY(SELECT CASE WHEN jsonb_typeof(element::jsonb) NOT IN ('object', 'array') THEN element::jsonb #>> '{}' END FROM unnest(c) AS element) END",
    ],
  ])("%s: %o", (kind, refused, reason, cast) => {
    const mismatch = typeMismatch("c", kind, refused);
    expect(mismatch?.reason).toMatch(reason);
    expect(mismatch?.cast).toBe(cast);
  });
});

function type(name: string): ColumnType {
  return { shown: name, name, isArray: false, isEnum: false };
}
