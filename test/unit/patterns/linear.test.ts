import { performance } from "node:perf_hooks";
import { describe, expect, test } from "vitest";
import { productionPatterns } from "../../../scripts/production-patterns.ts";

const { patterns } = productionPatterns();
const distinct = new Map(patterns.map((pattern) => [`/${pattern.source}/${pattern.flags}`, pattern]));

/**
 * Runs of one character or of two, since a run is what makes a matcher try again from each of its places; and what may
 * come behind it, so that the match fails at the very end.
 */
const pumps = ["a", "A", "0", " ", "-", "_", ".", "/", ":", '"', "@", "\n", "a.", "a ", " \t", "a@", "0."];
const endings = ["", "\u0000", " b", "\n!"];

/** What a pattern wants to see first: a match that fails at once proves nothing. */
function openings(source: string): readonly string[] {
  const literal = /^\^?((?:[\w \-:;,=]|\\[/.])*)/.exec(source)?.[1]?.replaceAll("\\", "") ?? "";
  return [literal, `${literal}a`];
}

interface Attack {
  readonly opening: string;
  readonly pump: string;
  readonly ending: string;
}

const attacksOn = (source: string): readonly Attack[] =>
  openings(source).flatMap((opening) =>
    pumps.flatMap((pump) => endings.map((ending) => ({ opening, pump, ending }))),
  );

function matchingMs(source: string, flags: string, attack: Attack, length: number): number {
  const { opening, pump, ending } = attack;
  const text = opening + pump.repeat(length / pump.length) + ending;
  // A pattern of its own each time: one that is global or sticky remembers where it stopped.
  const pattern = new RegExp(source, flags);
  const startedAt = performance.now();
  pattern.test(text);
  return performance.now() - startedAt;
}

describe("W63 no pattern of production code takes longer than in proportion to its input", () => {
  test("there are patterns to look at", () => {
    expect(distinct.size).toBeGreaterThan(50);
  });

  // A quadratic one takes seconds for 64 KiB and minutes for 1 MiB; a linear one, microseconds and milliseconds.
  for (const [name, { source, flags, where }] of distinct) {
    test(`${name} of ${where}`, () => {
      let slowest = { attack: attacksOn(source)[0], ms: -1 };
      for (const attack of attacksOn(source)) {
        const ms = matchingMs(source, flags, attack, 64 * 1024);
        expect(ms, JSON.stringify(attack)).toBeLessThan(1000);
        if (ms > slowest.ms) slowest = { attack, ms };
      }
      if (slowest.attack === undefined) throw new Error("no attack");
      expect(matchingMs(source, flags, slowest.attack, 1024 * 1024)).toBeLessThan(4000);
    });
  }
});
