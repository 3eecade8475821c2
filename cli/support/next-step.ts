/** What to do, by whom, and the commands for it (without the program's name in front). */
export interface Step {
  /** `operations`: it changes something for partners or their access, so those who run the installation do it. */
  readonly who: "support" | "operations";
  readonly text: string;
  readonly commands: readonly string[];
}

/** What to do next: the steps one by one, and all of them as one text and one list. */
export interface NextStep {
  readonly text: string;
  readonly commands: readonly string[];
  readonly steps: readonly Step[];
}

export function nextStep(...steps: readonly (Step | undefined)[]): NextStep {
  const kept = steps.filter((step) => step !== undefined);
  return {
    text: kept.map(stepText).join(" "),
    commands: kept.flatMap(({ commands }) => commands),
    steps: kept,
  };
}

/** What whoever answers the partner does; changes nothing. */
export function forSupport(text: string, ...commands: readonly string[]): Step {
  return { who: "support", text, commands };
}

/** P49: what changes something is never asked of whoever answers the partner. */
export function forOperations(text: string, ...commands: readonly string[]): Step {
  return { who: "operations", text, commands };
}

/** The step in words, with who is meant. */
export function stepText({ who, text }: Step): string {
  return who === "operations" ? `For operations: ${text}` : text;
}
