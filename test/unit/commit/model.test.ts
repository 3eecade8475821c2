import fc from "fast-check";
import { expect, test } from "vitest";
import { assertRecovers, published } from "../../support/commit-start.ts";
import { CommitWorld, type Scenario } from "../../support/commit-world.ts";
import { BrokenRun, describe, explore } from "../../support/explore.ts";
import { sized } from "../../support/quick-pass.ts";

/** Who meets whom, what goes wrong; and how many versions were published before. */
interface NamedScenario {
  readonly name: string;
  readonly versions: number;
  readonly plan: Omit<Scenario, "start">;
}

const calm = { changes: 0, faults: 0, kills: 0, faultyFiles: false, anyOrder: false };

const scenarios: readonly NamedScenario[] = [
  {
    name: "two builders make the first publication, one call goes wrong",
    versions: 0,
    plan: { ...calm, actors: { A: "builder", B: "builder" }, changes: 1, faults: 1, faultyFiles: true },
  },
  {
    name: "two builders, one call of the commit goes wrong and one builder is killed",
    versions: 1,
    plan: { ...calm, actors: { A: "builder", B: "builder" }, changes: 1, faults: 1, kills: 1 },
  },
  {
    name: "a builder beside a prune, one of them is killed",
    versions: 2,
    plan: { ...calm, actors: { A: "builder", P: "prune" }, changes: 1, kills: 1 },
  },
  {
    name: "a rollback to what a prune is deleting, one call goes wrong",
    versions: 2,
    plan: { ...calm, actors: { P: "prune", R: "rollback" }, faults: 1 },
  },
  {
    name: "a builder beside a rollback and a release, one call goes wrong",
    versions: 2,
    plan: { ...calm, actors: { A: "builder", R: "rollback", L: "release" }, changes: 1, faults: 1 },
  },
];

/** Everybody at once, and much goes wrong: too many states to see all. */
const crowd: Omit<Scenario, "start"> = {
  ...calm,
  actors: { A: "builder", B: "builder", P: "prune", R: "rollback", L: "release" },
  changes: 2,
  faults: 3,
  kills: 2,
  faultyFiles: true,
  anyOrder: true,
};

async function scenarioOf({ plan, versions }: NamedScenario): Promise<Scenario> {
  return { ...plan, start: await published(versions) };
}

/** None in the quick pass, for which the random runs stand. */
const chosen = sized({ whole: scenarios, quick: [] }).map((scenario) => [scenario.name, scenario] as const);

test.each(chosen)(
  "P1, P2 every interleaving of the real code over a simulated store, %s: no rule is broken",
  { timeout: 3_600_000 },
  async (_, named) => expect(await explore(await scenarioOf(named), assertRecovers)).toBeGreaterThan(500),
);

test("a store that ignores conditions loses updates, and the model finds it", async () => {
  const [, beside] = scenarios;
  if (beside === undefined) throw new Error("no scenario");
  const scenario = { ...(await scenarioOf(beside)), faults: 0, kills: 0, ignoresConditions: true };
  await expect(explore(scenario, assertRecovers)).rejects.toThrow(BrokenRun);
  await expect(explore(scenario, assertRecovers)).rejects.toThrow(
    /no update is lost|one generation is one snapshot/,
  );
});

const runs = sized({ whole: 1500, quick: 100 });

/**
 * Which of the possible things happens next: mostly the next call, in its turn. Shrinks to few and plain
 * steps, so that a broken rule comes with a short story.
 */
const picks = fc.array(fc.oneof({ weight: 2, arbitrary: fc.nat(4) }, { weight: 3, arbitrary: fc.nat(60) }), {
  maxLength: 200,
  size: "max",
});

test("two builders, a prune, a rollback and a release, kills and lost, late and false replies at random: no rule is broken", {
  timeout: 3_600_000,
}, async () => {
  const start = await published(3);
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
      }
      // What is left happens in its turn.
      for (let choices = world.choices(); choices[0] !== undefined; choices = world.choices()) {
        trace.push(describe(choices[0], world));
        await world.take(choices[0]);
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
  expect(ends.size).toBeGreaterThan(sized({ whole: 50, quick: 20 }));
});
