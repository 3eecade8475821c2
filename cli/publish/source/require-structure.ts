import type pg from "pg";
import { Failure } from "../../../core/failure.ts";
import { checkSourceStructure } from "./check-structure.ts";
import { problemsInBrief } from "./problems-in-brief.ts";

/** Throws `source_contract` with every fault and its fix when the views are not what the contract says. */
export async function requireSourceStructure(client: pg.ClientBase): Promise<void> {
  const problems = await checkSourceStructure(client);
  if (problems.length === 0) return;
  throw new Failure("source_contract", [
    "The source views break the contract; nothing is changed but what they state as withdrawn.",
    ...problemsInBrief(problems),
  ]);
}
