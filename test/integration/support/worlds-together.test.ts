import { join } from "node:path";
import fc from "fast-check";
import { test } from "vitest";
import { folderForAllTests, forAllTests } from "../../support/lasting.ts";
import { sized } from "../../support/quick-pass.ts";
import { openSupportDesk } from "../../support/support-desk.ts";
import { expectTheLawOf } from "../../support/world-checks.ts";
import { combinations } from "../../support/world-truth.ts";
import { causes } from "../../support/worlds.ts";

const desk = forAllTests(openSupportDesk);
const logFile = join(folderForAllTests(), "gateway.log");

// A world takes a quarter of a second: every pair, and a sample of the triples, which is the same in every
// run.
const pairs = combinations(causes, 2);
const triples = combinations(causes, 3);
const worlds = sized({
  whole: [...pairs, ...sampled(triples, 24)],
  quick: [...sampled(pairs, 4), ...sampled(triples, 2)],
});

test.each(worlds.map((world) => [world.map(({ name }) => name).join(" and "), world] as const))(
  "P47, P53, P207: of %s all is said that is true, and following it helps",
  async (_, world) => await expectTheLawOf(world, { desk, logFile }),
);

function sampled<Value>(values: readonly Value[], count: number): readonly Value[] {
  return fc.sample(fc.shuffledSubarray([...values], { minLength: count, maxLength: count }), 1)[0] ?? [];
}
