import { describe, expect, test } from "vitest";
import { scenarioOf, scenarios } from "../../support/commit-scenarios.ts";
import { assertRecovers } from "../../support/commit-start.ts";
import { BrokenRun, explore } from "../../support/explore.ts";
import { sized } from "../../support/quick-pass.ts";

/** None in the quick pass, for which `random-runs.test.ts` stands. */
const chosen = sized({ whole: scenarios, quick: [] })
  .filter(({ from }) => from === "whole" || process.env.COMMIT_MODEL === "deep")
  .map((scenario) => [scenario.name, scenario] as const);

test.each(chosen)(
  "P1, P2 every interleaving of the real code over a simulated store, %s: no rule is broken",
  { timeout: 3_600_000 },
  async (_, named) => {
    const startedAt = performance.now();
    const result = await explore(await scenarioOf(named), assertRecovers);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(
      `${named.name}: ${result.states} states, ${result.transitions} transitions, ${result.runs} runs, ` +
        `${result.ends.size} different ends, ${seconds} s`,
    );
    expect(result.states).toBeGreaterThan(500);
  },
);

describe("the model can fail", () => {
  test("a store that ignores conditions loses updates, and the model finds it", async () => {
    const [, beside] = scenarios;
    if (beside === undefined) throw new Error("no scenario");
    const scenario = { ...(await scenarioOf(beside)), faults: 0, kills: 0, ignoresConditions: true };
    await expect(explore(scenario, assertRecovers)).rejects.toThrow(BrokenRun);
    await expect(explore(scenario, assertRecovers)).rejects.toThrow(
      /no update is lost|one generation is one snapshot/,
    );
  });
});
