import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isProgramDetailResponse } from "../../../schemas/generated/validators-published.ts";
import { sized } from "../../support/quick-pass.ts";
import { example } from "./mutations.ts";

const directory = new URL("../../../schemas/generated/", import.meta.url);
const modules = readdirSync(directory).filter((name) => name.startsWith("validators-"));

describe("the compiled validators", () => {
  test.each(modules)("%s imports nothing at run time, not even ajv's own runtime", (name) => {
    const text = readFileSync(new URL(name, directory), "utf8");
    const imports = text.match(/\b(?:import|require)\b.*/g) ?? [];
    expect(imports.filter((line) => !line.startsWith("import type "))).toEqual([]);
  });

  test("D7 tell what shows nothing: white space as Unicode has it, zero-width characters and the byte order mark", () => {
    const detail = Object(example("program-detail-sparse"));
    const differing: string[] = [];
    for (let code = 0; code <= 0xffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      detail.data.departurePoint = character;
      if (isProgramDetailResponse(detail) === /^[\p{White_Space}\u200b-\u200d\u2060\ufeff]$/u.test(character))
        differing.push(character);
    }
    expect(differing).toEqual([]);
  });

  test("accept exactly the dates that exist, of every year from 1 to 9999", () => {
    const detail = Object(example("program-detail-sparse"));
    const fits = (date: string) => {
      detail.data.departureDate = date;
      return isProgramDetailResponse(detail);
    };
    const wrong: string[] = [];
    const dayMs = 86_400_000;
    const end = Date.UTC(sized({ whole: 2400, quick: 2010 }), 1, 1);
    // The Gregorian calendar repeats every 400 years: all days of one cycle, and the leap days of all years.
    for (let at = Date.UTC(2000, 0, 1); at < end; at += dayMs) {
      const date = new Date(at).toISOString().slice(0, 10);
      if (!fits(date)) wrong.push(date);
    }
    for (let year = 1; year <= 9999; year += 1) {
      const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
      const date = `${String(year).padStart(4, "0")}-02-29`;
      if (fits(date) !== isLeap) wrong.push(date);
    }
    expect(wrong).toEqual([]);
  });
});
