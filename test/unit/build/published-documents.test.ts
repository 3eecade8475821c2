import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type RenderedProgram, renderedProgram } from "../../../cli/publish/content/checked-program.ts";
import { severityOf } from "../../../cli/publish/public-program/problem.ts";
import type { ProgramSource } from "../../../cli/publish/public-program/program-source.ts";
import {
  type PublicProgram,
  publicProgram,
  terminalStatusTest,
} from "../../../cli/publish/public-program/public-program.ts";
import { publicUrl } from "../../../cli/publish/public-program/public-text.ts";
import { defaultTerminalStatuses } from "../../../core/process/settings.ts";
import { sha256Hex } from "../../../core/store/object-body.ts";
import type { ProgramDetail } from "../../../schemas/generated/types.ts";
import {
  isLegacyProgramsResponse,
  isProgramDetailResponse,
  isProgramListResponse,
} from "../../../schemas/generated/validators-published.ts";
import { anyProgramSource } from "../../support/program-source-arbitrary.ts";

const rules = { isTerminalStatus: terminalStatusTest(defaultTerminalStatuses) };
type Published = Extract<PublicProgram, { kind: "published" }>;

describe("whatever the source holds", () => {
  test("the mapping never throws: a program is published, left out, or an error by exactly one rule", () => {
    let publishedCount = 0;
    fc.assert(
      fc.property(anyProgramSource, (source) => {
        const program = publicProgram(source, rules);
        if (program.kind === "published") {
          publishedCount += 1;
          expect(program.problems.every(({ code }) => severityOf(code) === "warning")).toBe(true);
        } else if (program.kind === "invalid") {
          expect(program.problems.map(({ code }) => severityOf(code))).toEqual(["error"]);
        }
      }),
      { numRuns: 500 },
    );
    expect(publishedCount).toBeGreaterThan(100);
  });

  test("D11 every published document fits the strict schema, read back from its bytes", () => {
    forEachPublished(({ detail, listItem, legacyItem }) => {
      const list = `{"data":[${listItem}],"meta":{"count":1}}`;
      const legacy = `{"success":true,"programs":[${legacyItem}]}`;
      expect(isProgramDetailResponse(JSON.parse(detail))).toBe(true);
      expect(isProgramListResponse(JSON.parse(list))).toBe(true);
      expect(isLegacyProgramsResponse(JSON.parse(legacy))).toBe(true);
    });
  });

  test("bytes are canonical: minified UTF-8 JSON that prints back as it was read", () => {
    forEachPublished(({ detail, listItem, legacyItem, detailSha256 }) => {
      expect(detailSha256).toBe(sha256Hex(Buffer.from(detail)));
      for (const text of [detail, listItem, legacyItem]) {
        expect(JSON.stringify(JSON.parse(text))).toBe(text);
        expect(Buffer.from(text).toString()).toBe(text);
      }
    });
  });

  test("D8 the list fields of a detail equal those of the list", () => {
    forEachPublished(({ detail, listItem }) => {
      const { data } = JSON.parse(detail);
      const listed = JSON.parse(listItem);
      const keys = Object.keys(listed);
      expect(Object.keys(data).slice(0, keys.length)).toEqual(keys);
      expect(Object.fromEntries(keys.map((key) => [key, data[key]]))).toEqual(listed);
    });
  });

  test("durations, prices and capacity keep the specification's equations", () => {
    forEachPublished(({ detail }) => {
      const { data }: { data: ProgramDetail } = JSON.parse(detail);
      expect(data.duration?.days ?? null).toBe(data.durationDays);
      if (data.duration !== null) expect(data.duration.nights).toBe(Math.max(0, data.duration.days - 1));
      const amounts = data.prices.rooms.map(({ amount }) => amount);
      expect(data.prices.startingAmount).toBe(amounts.length === 0 ? null : Math.min(...amounts));
      expect(data.capacity.remaining).toBe(Math.max(0, data.capacity.total - data.capacity.used));
      expect(data.accommodation?.stays ?? []).toEqual(data.hotels);
      expect(data.content?.accommodationDescription ?? null).toBe(data.accommodation?.description ?? null);
    });
  });

  test("D4 no text is published that the source does not hold", () => {
    forEachPublished(({ detail }, source) => {
      const known = new Set(textsIn(source));
      for (const text of [...known]) {
        known.add(text.toUpperCase()).add(text.toLowerCase());
        // D31: an address may be published with escapes.
        known.add(publicUrl(text, "", () => {}) ?? text);
      }
      expect(textsIn(JSON.parse(detail)).filter((text) => !known.has(text))).toEqual([]);
    });
  });
});

function forEachPublished(check: (rendered: RenderedProgram, source: ProgramSource) => void): void {
  fc.assert(
    fc.property(anyProgramSource, (source) => {
      const program = publicProgram(source, rules);
      fc.pre(program.kind === "published");
      check(renderedProgram(program satisfies Published, "object"), source);
    }),
    { numRuns: 300 },
  );
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
