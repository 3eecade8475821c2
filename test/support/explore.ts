import { type Choice, CommitWorld, type Scenario } from "./commit-world.ts";

/** A run that broke a rule, with what led to it. */
export class BrokenRun extends Error {
  constructor(trace: readonly string[], cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`${reason}\n  ${trace.join("\n  ")}`, { cause });
  }
}

/**
 * Takes every choice in every state, depth first. A state that was reached before is not gone on from again:
 * the code is deterministic, so what it does next depends on the state alone. Going back means running the
 * choices from the beginning once more, since the state of running code cannot be copied. `atEnd` holds what
 * must be true when all is over. Gives the number of states.
 */
export async function explore(
  scenario: Scenario,
  atEnd: (world: CommitWorld) => Promise<void>,
): Promise<number> {
  const seen = new Set<string>();
  const open: (readonly number[])[] = [[]];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const world = new CommitWorld(scenario);
    const trace: string[] = [];
    const taken: number[] = [];
    try {
      await world.begin();
      for (;;) {
        const isNew = taken.length >= path.length;
        if (isNew) {
          const key = world.key();
          if (seen.has(key)) break;
          seen.add(key);
        }
        const choices = world.choices();
        if (choices.length === 0 || (isNew && isOver(choices))) await atEnd(world);
        if (choices.length === 0) break;
        const at = path[taken.length] ?? 0;
        if (isNew) for (let other = choices.length - 1; other > 0; other -= 1) open.push([...taken, other]);
        const choice = choices[at];
        if (choice === undefined) throw new Error("the run is not deterministic");
        trace.push(describe(choice, world));
        taken.push(at);
        await world.take(choice);
      }
    } catch (error) {
      throw new BrokenRun(trace, error);
    }
  }
  return seen.size;
}

/** Only late effects are left, which may as well never happen. */
const isOver = (choices: readonly Choice[]): boolean => choices.every(({ kind }) => kind === "late");

export function describe(choice: Choice, world: CommitWorld): string {
  switch (choice.kind) {
    case "call": {
      const call = world.store.pending[choice.at];
      const fault = choice.fault === undefined ? "" : ` (${choice.fault})`;
      return `${choice.actor}: ${call?.operation} ${call?.target}${fault}`;
    }
    case "kill":
      return `${choice.actor} is killed`;
    case "late":
      return `late: ${world.store.late[choice.at]?.target}`;
    case "change":
      return "the source changes";
  }
}
