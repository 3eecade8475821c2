import fc from "fast-check";
import { expect, test } from "vitest";
import { crowd } from "../../support/commit-scenarios.ts";
import { assertRecovers, published } from "../../support/commit-start.ts";
import { CommitWorld } from "../../support/commit-world.ts";
import { BrokenRun, describe } from "../../support/explore.ts";
import { sized } from "../../support/quick-pass.ts";

const runs = process.env.COMMIT_MODEL === "deep" ? 100_000 : sized({ whole: 1500, quick: 100 });

/**
 * Which of the possible things happens next: mostly the next call, in its turn. Shrinks to few and plain steps, so that a
 * broken rule comes with a short story.
 */
const picks = fc.array(fc.oneof({ weight: 2, arbitrary: fc.nat(4) }, { weight: 3, arbitrary: fc.nat(60) }), {
  maxLength: 200,
  size: "max",
});

test("two builders, a prune, a rollback and a release, kills and lost, late and false replies at random: no rule is broken", {
  timeout: 3_600_000,
}, async () => {
  const start = await published(3);
  let steps = 0;
  const ends = new Set<string>();
  const property = fc.asyncProperty(picks, async (chosen) => {
    const world = new CommitWorld({ ...crowd, start });
    const trace: string[] = [];
    try {
      await world.begin();
      for (const pick of chosen) {
        const choices = world.choices();
        const choice = choices[pick % choices.length];
        if (choice === undefined) break;
        trace.push(describe(choice, world));
        await world.take(choice);
        steps += 1;
      }
      // What is left happens in its turn.
      for (let choices = world.choices(); choices[0] !== undefined; choices = world.choices()) {
        trace.push(describe(choices[0], world));
        await world.take(choices[0]);
        steps += 1;
      }
      await assertRecovers(world);
    } catch (error) {
      throw new BrokenRun(trace, error);
    }
    ends.add(
      [...world.ends()]
        .map(([name, end]) => `${name} ${end}`)
        .sort()
        .join(", "),
    );
  });
  await fc.assert(property, { numRuns: runs });
  console.log(`${runs} random runs, ${steps} steps, ${ends.size} different ends`);
  expect(ends.size).toBeGreaterThan(sized({ whole: 50, quick: 20 }));
});
