import { counted } from "../../output/counted.ts";
import { unitOf } from "../../output/times.ts";

/** A step: what to do, who does it, and its commands (without `partner-programs` in front). */
export interface Step {
  /** A step of `operations` changes something for partners, so only those who run the installation may do it. */
  readonly who: "support" | "operations";
  readonly text: string;
  readonly commands: readonly string[];
}

/** The next steps one by one, and together as one text and one list of commands. */
export interface NextStep {
  readonly text: string;
  readonly commands: readonly string[];
  readonly steps: readonly Step[];
}

/** A step that is `false` or `undefined` is left out. */
export function nextStep(...steps: readonly (Step | false | undefined)[]): NextStep {
  const kept = steps.filter((step) => step !== undefined && step !== false);
  return {
    text: kept.map(stepText).join(" "),
    commands: kept.flatMap(({ commands }) => commands),
    steps: kept,
  };
}

/** A step of the person who answers the partner. It changes nothing. A command that is `false` is left out. */
export function forSupport(text: string, ...commands: readonly (string | false)[]): Step {
  return { who: "support", text, commands: commands.filter((command) => command !== false) };
}

/** A step that changes something. The person who answers the partner is never asked to do it (P49). */
export function forOperations(text: string, ...commands: readonly (string | false)[]): Step {
  return { ...forSupport(text, ...commands), who: "operations" };
}

/** The step in words. It says when operations are meant. */
export function stepText({ who, text }: Step): string {
  return who === "operations" ? `For operations: ${text}` : text;
}

export interface Judgement {
  readonly summary: string;
  readonly next: NextStep;
}

/** The case of a request: what happened, what to do, and what the partner may be told. */
export interface RequestCase {
  readonly summary: string;
  readonly steps: readonly (Step | false | undefined)[];
  /** Has no detail of how the service is built and nobody else's data. */
  readonly toPartner: string;
}

export function told(
  summary: string,
  toPartner: string,
  ...steps: readonly (Step | false | undefined)[]
): RequestCase {
  return { summary, steps, toPartner };
}

export function buildCommand(tenantId: string, ...options: readonly string[]): string {
  return ["snapshot build", `--tenant ${tenantId}`, ...options].join(" ");
}

export function explainCommand(tenantId: string, programId: string): string {
  return `snapshot explain --tenant ${shellWord(tenantId)} --program ${shellWord(programId)}`;
}

export function listCommand(tenantId: string): string {
  return `snapshot show --tenant ${tenantId} --list`;
}

/** The text as one word of a POSIX shell, quoted if necessary. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9._~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A sentence as the end of another one. */
export function clause(sentence: string): string {
  return sentence.replace(/\.$/, "");
}

/** A length of time in one unit, such as `15 minutes`. */
export function lengthOf(ms: number): string {
  const { name, seconds } = unitOf(ms / 1000) ?? { name: "second", seconds: 1 };
  return counted(Math.max(1, Math.round(ms / 1000 / seconds)), name);
}
