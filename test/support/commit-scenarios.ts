import { published } from "./commit-start.ts";
import type { ActorPlan, Scenario } from "./commit-world.ts";

/** Who meets whom, what goes wrong; and how many versions were published before. */
export interface NamedScenario {
  readonly name: string;
  readonly versions: number;
  readonly plan: Omit<Scenario, "start">;
  /** The smallest run that looks at it: `npm run test:all`, or the half-hour's (`COMMIT_MODEL=deep`). */
  readonly from: "whole" | "deep";
}

const builder: ActorPlan = { kind: "builder" };
const prune: ActorPlan = { kind: "prune" };
const rollback: ActorPlan = { kind: "rollback" };
const release: ActorPlan = { kind: "release" };

const calm = { changes: 0, faults: 0, kills: 0, faultyFiles: false, anyOrder: false };

export const scenarios: readonly NamedScenario[] = [
  {
    name: "two builders make the first publication, one call goes wrong",
    versions: 0,
    plan: { ...calm, actors: { A: builder, B: builder }, changes: 1, faults: 1, faultyFiles: true },
    from: "whole",
  },
  {
    name: "two builders, one call of the commit goes wrong and one builder is killed",
    versions: 1,
    plan: { ...calm, actors: { A: builder, B: builder }, changes: 1, faults: 1, kills: 1 },
    from: "whole",
  },
  {
    name: "a builder beside a prune, one of them is killed",
    versions: 2,
    plan: { ...calm, actors: { A: builder, P: prune }, changes: 1, kills: 1 },
    from: "whole",
  },
  {
    name: "a rollback to what a prune is deleting, one call goes wrong",
    versions: 2,
    plan: { ...calm, actors: { P: prune, R: rollback }, faults: 1 },
    from: "whole",
  },
  {
    name: "a builder beside a rollback and a release, one call goes wrong",
    versions: 2,
    plan: { ...calm, actors: { A: builder, R: rollback, L: release }, changes: 1, faults: 1 },
    from: "whole",
  },
  {
    name: "two builders, the source changes twice, two calls of the commit go wrong",
    versions: 1,
    plan: { ...calm, actors: { A: builder, B: builder }, changes: 2, faults: 2 },
    from: "deep",
  },
  {
    name: "a builder beside a prune, one call goes wrong",
    versions: 2,
    plan: { ...calm, actors: { A: builder, P: prune }, changes: 1, faults: 1, faultyFiles: true },
    from: "deep",
  },
  {
    name: "a rollback beside a prune, one call goes wrong and one of them is killed",
    versions: 2,
    plan: { ...calm, actors: { P: prune, R: rollback }, faults: 1, kills: 1 },
    from: "deep",
  },
  {
    name: "two builders beside a prune",
    versions: 2,
    plan: { ...calm, actors: { A: builder, B: builder, P: prune }, changes: 1 },
    from: "deep",
  },
];

/** Everybody at once, and much goes wrong: too many states to see all. */
export const crowd: Omit<Scenario, "start"> = {
  ...calm,
  actors: { A: builder, B: builder, P: prune, R: rollback, L: release },
  changes: 2,
  faults: 3,
  kills: 2,
  faultyFiles: true,
  anyOrder: true,
};

export async function scenarioOf({ plan, versions }: NamedScenario): Promise<Scenario> {
  return { ...plan, start: await published(versions) };
}
