import type { Step } from "../next-step.ts";
import type { Need } from "./obstacle.ts";
import type { ProgramFacts, ProgramStanding } from "./program-standing.ts";

/** What a standing comes to, in one word for programs; documented in docs/json.md. */
export type Verdict =
  | "served"
  | "served_outdated"
  | "served_leaving"
  | "served_unlisted"
  | "served_invalid"
  | "served_unchecked"
  | "waiting"
  | "not_publishable"
  | "invalid"
  | "unknown_program"
  | "unknown_tenant"
  | "unserved_unchecked"
  | "unpublished_tenant"
  | "removed_tenant"
  | "damaged_store"
  | "malformed_id";

export type Kind = ProgramStanding["kind"];
export type Of<Name extends Kind> = Extract<ProgramStanding, { readonly kind: Name }>;

/** What a partner with a good access key gets for `/v1/programs/{id}`; of a removed tenant no key is good. */
export type Answer = 200 | 400 | 401 | 404 | 500;

export interface Row<Name extends Kind> {
  readonly answer: Answer;
  readonly verdict: Verdict;
  /** What partners see now, and what the booking system says. Never what will be: that is the obstacle's to say. */
  readonly now: (standing: Of<Name>, facts: ProgramFacts) => string;
  readonly after: After<Name>;
}

/** How the row goes on. */
export type After<Name extends Kind> =
  /** No build changes anything about it. */
  | { readonly kind: "settled"; readonly steps: (standing: Of<Name>, facts: ProgramFacts) => readonly Step[] }
  /** A build does `effect`, if nothing stands in the way. */
  | {
      readonly kind: "waiting";
      readonly need: Need;
      readonly effect: string;
      readonly first?: (standing: Of<Name>) => Step;
    }
  /** Somebody may correct the booking data, and after that a build brings it, if nothing stands in the way. */
  | { readonly kind: "correcting"; readonly first: (standing: Of<Name>) => Step };

/** Some of the rows of the table. */
export type Rows<Names extends Kind> = { readonly [Name in Names]: Row<Name> };

export function settled<Name extends Kind>(
  steps: (standing: Of<Name>, facts: ProgramFacts) => readonly Step[],
): After<Name> {
  return { kind: "settled", steps };
}

export function waiting(need: Need, effect: string) {
  return { kind: "waiting", need, effect } as const;
}

export function correcting<Name extends Kind>(first: (standing: Of<Name>) => Step): After<Name> {
  return { kind: "correcting", first };
}
