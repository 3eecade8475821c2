import { expect, test } from "vitest";
import { renderedProgram, schemaViolation } from "../../../cli/publish/content/checked-program.ts";
import { shownValue } from "../../../cli/publish/public-program/problem.ts";
import { mapped, published } from "../../support/program-source.ts";

/**
 * As many characters of three bytes as the largest `MAX_VALUE_KB` allows; V8 remembers so many turns of no
 * repetition.
 */
const many = Math.floor((65_536 * 1024) / 3);

test("D141 a text of nothing but wide spaces is blank, however long, and is shown in a finding", () => {
  const spaces = "\u3000".repeat(many);
  expect(published({ description: spaces }).detail.description).toBeNull();
  expect(shownValue(spaces)).toBe(" ");
});

test("D141 a name of letters or emoji of any length is published", () => {
  for (const name of ["a".repeat(many), "😀".repeat(many / 2)]) {
    expect(published({ name }).detail.name === name).toBe(true);
  }
});

test("D141 an address of 2 MB is published, a longer one dropped", () => {
  const longest = `https://a.example/${"%20".repeat((2 * 1024 * 1024 - 20) / 3)}`;
  const spaced = longest.replaceAll("%20", " ");
  for (const coverUrl of [longest, spaced]) {
    const program = mapped({ coverUrl });
    if (program.kind !== "published") throw new Error("not published");
    expect(program.detailOnly.media?.coverUrl === longest).toBe(true);
    expect(schemaViolation(renderedProgram(program, "object"), program.programId)).toBeUndefined();
  }
  for (const coverUrl of [`${longest}aaa`, `${spaced} `, `https://a.example/${"a".repeat(many)}`]) {
    const { detail, warnings } = published({ coverUrl });
    expect(detail.media).toBeNull();
    expect(warnings).toEqual([expect.stringMatching(/^url_dropped media\.coverUrl = https:/)]);
  }
});
