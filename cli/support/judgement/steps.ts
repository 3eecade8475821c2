import { counted, unitOf } from "../../output/words.ts";

/** A command of this program without its name, as data until printed; a text when it names no tenant. */
export type Command = string | CommandWords;
type CommandWords = readonly (string | TenantWord)[];
interface TenantWord {
  readonly tenantId: string | null;
}

/** Other values than the tenant become one word of a shell each. */
export function command(
  words: TemplateStringsArray,
  ...values: readonly (string | null | TenantWord)[]
): CommandWords {
  return words.flatMap((text, at) => {
    const value = values[at];
    return value === undefined ? text : [text, isTenantWord(value) ? value : shellWord(String(value))];
  });
}

function isTenantWord(value: string | null | TenantWord): value is TenantWord {
  return typeof value === "object" && value !== null;
}

/** `anyTenant` stands for the tenant in a command that is meant for several of them. */
function commandText(line: Command, anyTenant?: string): string {
  if (typeof line === "string") return line;
  const words = line.map((word) =>
    typeof word === "string" ? word : (anyTenant ?? shellWord(String(word.tenantId))),
  );
  return words.join("");
}

/** A step: what to do, who does it, and its commands. */
export interface Step {
  /** P47: what changes something for partners is a step of `operations`, those who run the installation. */
  readonly who: "support" | "operations";
  readonly text: string;
  readonly commands: readonly Command[];
}

/** A step as it is printed. */
export interface PrintedStep extends Pick<Step, "who" | "text"> {
  readonly commands: readonly string[];
}

export function printedStep(step: Step, anyTenant?: string): PrintedStep {
  return { ...step, commands: step.commands.map((line) => commandText(line, anyTenant)) };
}

/** The next steps one by one, and together as one text and one list of commands. */
export interface NextStep {
  readonly text: string;
  readonly commands: readonly string[];
  readonly steps: readonly PrintedStep[];
}

export interface Judgement {
  readonly summary: string;
  readonly next: NextStep;
}

/** A step, or what is left out of the steps. */
export type MaybeStep = Step | false | undefined;

export function nextStep(steps: readonly MaybeStep[]): NextStep {
  const kept = steps.flatMap((step) => (step ? printedStep(step) : []));
  const commands = kept.flatMap((step) => step.commands);
  return { text: kept.map(stepText).join(" "), commands, steps: kept };
}

/** A step of the person who answers the partner. A command that is `false` is left out. */
export function forSupport(text: string, ...commands: readonly (Command | false)[]): Step {
  return { who: "support", text, commands: commands.filter((line) => line !== false) };
}

export function forOperations(text: string, ...commands: readonly (Command | false)[]): Step {
  return { ...forSupport(text, ...commands), who: "operations" };
}

/** The step in words, which say when operations are meant. */
export function stepText({ who, text }: Pick<Step, "who" | "text">): string {
  return who === "operations" ? `For operations: ${text}` : text;
}

/** The commands that several steps name. */
export const commandTo = {
  build: (tenantId: string, ...options: readonly string[]): Command => [
    ...command`snapshot build --tenant ${{ tenantId }}`,
    ...options.map((option) => ` ${option}`),
  ],
  explain: (tenantId: string, programId: string): Command =>
    command`snapshot explain --tenant ${{ tenantId }} --program ${programId}`,
  list: (tenantId: string): Command => command`snapshot show --tenant ${{ tenantId }} --list`,
  status: (tenantId: string | null): Command => command`snapshot status --tenant ${{ tenantId }}`,
};

/** The text as one word of a POSIX shell. */
function shellWord(text: string): string {
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

export function namedPrograms(programs: readonly (string | null)[]): string {
  if (programs.length === 0) return "faulty programs";
  const shown = programs.slice(0, 3).map((id) => (id === null ? "without an id" : JSON.stringify(id)));
  const more = programs.length > shown.length ? ` and ${programs.length - shown.length} more` : "";
  return `${programs.length === 1 ? "program" : "programs"} ${shown.join(", ")}${more}`;
}

/** The remedies that several judgements name. */
export const remedies = {
  /** A build can't mend damage while the tenant is held, or when the source does not list it. */
  damage(tenantId: string, isHeld: boolean, isListed = true): readonly Step[] {
    const mend = isHeld
      ? ". The tenant is held, so no build mends it: end the hold and write every file anew, or roll back to another snapshot of the list, if there is one."
      : "; then write every file anew, or roll back to an earlier snapshot of the list, if there is one.";
    const unlisted = isListed
      ? ""
      : " The booking system does not list the tenant, and builds pass over it: list it in the view partner_source.tenants again before a build.";
    return [
      forSupport("Escalate to operations at once."),
      forOperations(
        `Find out how much is damaged${mend}${unlisted}`,
        command`snapshot verify --tenant ${{ tenantId }}`,
        isHeld && command`snapshot release --tenant ${{ tenantId }}`,
        commandTo.build(tenantId, "--rewrite"),
        command`snapshot list --tenant ${{ tenantId }}`,
      ),
    ];
  },

  correct(tenantId: string, programs: readonly (string | null)[]): Step {
    const first = programs.find((id) => id !== null) ?? null;
    const explain = first !== null && commandTo.explain(tenantId, first);
    return forSupport(`Have ${namedPrograms(programs)} corrected in the booking system.`, explain);
  },

  faults(tenantId: string, programs: readonly (string | null)[]): readonly Step[] {
    const commands = [commandTo.build(tenantId), commandTo.build(tenantId, "--on-invalid report")];
    const build = forOperations("Then build; or build without the faulty programs.", ...commands);
    return [remedies.correct(tenantId, programs), build];
  },

  start(tenantId: string): Step {
    return forOperations("Build now, and see that builds come by themselves.", commandTo.build(tenantId));
  },

  silent(tenantId: string): readonly Step[] {
    const start = "Find out what stopped the cron job or `snapshot watch`, start it again, and build.";
    return [
      forSupport("Tell operations that no build comes."),
      forOperations(start, commandTo.build(tenantId)),
    ];
  },

  /** Comes after a step in which support asks whether the hold's reason is gone. */
  release(tenantId: string): Step {
    const release = command`snapshot release --tenant ${{ tenantId }}`;
    return forOperations("When it is, end the hold and build.", release, commandTo.build(tenantId));
  },

  unlisted(tenantId: string, ending = ""): readonly Step[] {
    const list = "If so, list it in the view partner_source.tenants again; if not, remove it";
    return [
      forSupport("Find out whether the tenant should still be sold."),
      forOperations(`${list}${ending}.`, command`tenant remove ${{ tenantId }}`),
    ];
  },

  removed(tenantId: string, isListed: boolean): readonly Step[] {
    const sold = isListed
      ? "build it and issue new access keys."
      : "list it in the view partner_source.tenants, build it, and issue new access keys.";
    const again = [commandTo.build(tenantId), command`token create --tenant ${{ tenantId }}`];
    return [
      forSupport(
        "Find out why it was removed before you promise anything.",
        command`audit list --tenant ${{ tenantId }}`,
      ),
      forOperations(`If it should be sold again, ${sold}`, ...again),
    ];
  },

  /** No build publishes the sandbox. */
  sandbox: [forOperations("Publish the sandbox again.", "sandbox init")],

  store: [
    forSupport(
      "Escalate to operations; don't tell any partner yet that an access key or a program is wrong.",
    ),
    forOperations(
      "See which store this is and which one the gateways go by: STORE_URL, STORE_ID, and whether the volume is mounted.",
      "config",
      "store check --read-only",
    ),
  ],
};
