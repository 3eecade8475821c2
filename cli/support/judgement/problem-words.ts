import type { Problem } from "../../../schemas/generated/types.ts";
import { type GarbledWord, garbledWord } from "../../publish/public-program/double-encoding.ts";
import { fieldLabel } from "../../publish/public-program/field-words.ts";
import type { ProblemCode } from "../../publish/public-program/problem.ts";
import type { ProgramInSource } from "../facts/program-in-source.ts";
import { forSupport, type Step } from "./step.ts";

/** A published field with a text that looks encoded twice. */
export interface GarbledText extends GarbledWord {
  /** Its path in the published program, such as `hotels[0].name`. */
  readonly field: string;
}

/** P51: a sentence about a finding in a program's data, without codes: what is wrong, and what partners see. */
export function problemWords(problem: Problem): string {
  const words = sentences[problem.code as ProblemCode];
  return words === undefined ? `${problem.message}.` : words(problem);
}

export function problemList(problems: readonly Problem[]): string {
  const shown = problems.slice(0, maxShown).map(problemWords);
  const more = problems.length > maxShown ? ` (${problems.length - maxShown} more below.)` : "";
  return `${shown.join(" ")}${more}`;
}

const maxShown = 3;

/** Everything that keeps a program from being published, to be corrected at once. */
export function correction(problems: readonly Problem[]): Step {
  const isTwice = problems.some(({ code }) => code === "program_id_duplicate");
  const others = problems.filter(({ code }) => code !== "program_id_duplicate");
  const fields = new Set(others.map(({ field }) => (field === null ? "It" : fieldName(field))));
  const twice = "Only one program can have this id: the others have to go, or to get other ids.";
  const correct =
    fields.size === 0 ? [] : [`Have this corrected in the booking system: ${[...fields].join(", ")}.`];
  return forSupport([...(isTwice ? [twice] : []), ...correct].join(" "));
}

function fieldName(field: string): string {
  return field === "lifecycle_state" ? "State" : fieldLabel(field);
}

/** Sentences about flaws in what partners see of a program. */
export function flawWords(dropped: readonly Problem[], garbled: readonly GarbledText[]): readonly string[] {
  return [
    ...(dropped.length === 0 ? [] : [problemList(dropped)]),
    ...garbled.map((text) => `${garbledWords(text)}.`),
  ];
}

type NotPublishable = Extract<ProgramInSource, { readonly kind: "not_publishable" }>;

export function unpublishedState({ state, ifActive }: NotPublishable): string {
  const either =
    ifActive.length === 0 ? "" : ` Set to active, it could not be published either. ${problemList(ifActive)}`;
  return `the source says ${JSON.stringify(state)}, and only active programs are published.${either}`;
}

/** Names all that has to be changed before the program can be published. */
export function activation({ state, ifActive, lastDay }: NotPublishable): Step {
  const dates =
    state === "ended" && lastDay !== null
      ? `, with travel dates that are not past (its last day is ${lastDay}; a booking system may call it ended for that alone)`
      : "";
  const also = ifActive.length === 0 ? "" : ` ${correction(ifActive).text}`;
  return forSupport(`If it should be sold, have it set to active in the booking system${dates}.${also}`);
}

/** Says what partners would not see of a program even if its errors were corrected. */
export function unseenThen({ dropped }: { readonly dropped: readonly Problem[] }): string {
  return dropped.length === 0 ? "" : ` Corrected, it would still not be shown whole: ${problemList(dropped)}`;
}

export function flawed(flaws: readonly string[]): string {
  return flaws.length === 0 ? "" : ` Not all of that is as it should be: ${flaws.join(" ")}`;
}

/** `undefined` when partners see, or will see, everything. */
export function flawStep(source: ProgramInSource, garbled: readonly GarbledText[]): Step | undefined {
  if (source.kind !== "publishable" && source.kind !== "invalid") return undefined;
  const texts = source.kind === "publishable" ? garbled : [];
  const fields = [...source.dropped, ...texts].map(({ field }) => fieldLabel(field ?? "id"));
  if (fields.length === 0) return undefined;
  return forSupport(
    `Have this corrected in the booking system before that build, if it is not meant so: ${[...new Set(fields)].join(", ")}.`,
  );
}

/** A hint in words. The text is not repaired, since the booking system decides what is published. */
export function garbledWords({ field, stored, meant }: GarbledText): string {
  return `${fieldLabel(field)} looks garbled: "${stored}" was probably "${meant}", and was encoded twice on its way into the booking system`;
}

/** The fields of a published program whose texts look encoded twice, the first word of each. */
export function garbledTexts(document: unknown): readonly GarbledText[] {
  return [...walk(document, "")];
}

function* walk(value: unknown, field: string): Generator<GarbledText> {
  if (typeof value === "string") {
    const word = garbledWord(value);
    if (word !== undefined) yield { field, ...word };
  } else if (Array.isArray(value)) {
    for (const [at, element] of value.entries()) yield* walk(element, `${field}[${at}]`);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, part] of Object.entries(value))
      yield* walk(part, field === "" ? name : `${field}.${name}`);
  }
}

type Sentence = (problem: Problem) => string;

const sentences: Readonly<Partial<Record<string, Sentence>>> & Readonly<Record<OfPrograms, Sentence>> = {
  program_id_invalid: ({ programId }) =>
    `Its id ${programId === null ? "(none)" : JSON.stringify(programId)} is not one that partners can ask for (1 to 128 of A-Z a-z 0-9 . _ ~ -, the first a letter or a digit).`,
  program_id_duplicate: () => "Several programs in the booking system have this id, so partners see none.",
  program_name_blank: () => "It has no name, and a program needs one.",
  lifecycle_state_unknown: ({ value }) =>
    `Its state ${quoted(value)} is not one of active, draft, cancelled, completed, archived, ended.`,
  value_too_large: ({ field }) => `${label(field)} is larger than allowed (MAX_VALUE_KB).`,
  program_too_large: () => "It is larger than allowed (MAX_PROGRAM_KB).",
  schema_violation: ({ field, value }) =>
    `${label(field)} does not have the form that partners rely on${given(value)}.`,
  date_out_of_range: ({ field, value }) =>
    `${label(field)} is no date that can be published${given(value)}, so partners see none.`,
  dates_reversed: ({ value }) =>
    `It returns before it departs${given(value)}, so partners see both dates and no number of days.`,
  currency_invalid: ({ value }) =>
    `The currency is no code of three letters${given(value)}, so partners see amounts without a currency.`,
  capacity_total_invalid: ({ value }) =>
    value === null
      ? "No capacity in the booking system, so partners see 0 places."
      : `The capacity in the booking system cannot be right${given(value)}, so partners see 0 places.`,
  enrollment_role_unknown: ({ value }) =>
    `A booking has an unknown role${given(value)}, so it counts as a place taken.`,
  room_price_dropped: ({ value }) =>
    `Partners do not see a room price${givenPrice(value)}: it needs at least one person and an amount above 0.`,
  legacy_price_dropped: ({ value }) =>
    `Partners do not see the program's single price${given(value)}: it needs an amount above 0.`,
  child_price_dropped: ({ value }) =>
    `Partners do not see a child price${givenPrice(value)}: it needs both ages, the lower one first, and an amount (0 is for free).`,
  star_level_invalid: ({ field, value }) =>
    `${label(field)} are not 1 to 5${given(value)}, so partners see no stars.`,
  stay_empty: ({ field }) => `${label(field)} says nothing, so partners do not see it.`,
  gender_invalid: ({ field, value }) =>
    `${label(field)} is neither male nor female${given(value)}, so partners see none.`,
  staff_role_unknown: ({ field, value }) =>
    `${label(field)} is neither lead guide nor teacher${given(value)}, so partners do not see that person.`,
  lead_guide_surplus: ({ value }) =>
    `There are several lead guides; partners see the first, not ${quoted(value)}.`,
  url_dropped: ({ field, value }) =>
    `${label(field)}: partners do not see this address, since only complete https addresses are published${given(value)}.`,
  text_missing: ({ field }) => `${label(field)} is empty, so partners do not see that entry.`,
};

/** Findings about one program. Those about a tenant or a run are not shown with a program. */
type OfPrograms = Exclude<
  ProblemCode,
  | `tenant_${string}`
  | `rows_of_${string}`
  | `programs_${string}`
  | "tenants_unreadable"
  | "source_unasked"
  | "manifest_unreadable"
  | "memory_unwritten"
  | "withdrawals_unknown"
  | "fields_emptied"
  | "capacity_changed"
  | "shared_unknown"
  | "snapshot_empty"
>;

function label(field: string | null): string {
  return field === null ? "The program" : fieldLabel(field);
}

function given(value: string | null): string {
  return value === null ? "" : ` (${quoted(value)})`;
}

/** Findings show a price as JSON, cut off when it is long. */
function givenPrice(value: string | null): string {
  const parts = [...(value ?? "").matchAll(/"(occupancy|minAge|maxAge|amount)":"?([^",}]*)"?/g)];
  const words = parts.map(
    ([, name = "", part]) => `${priceParts[name]} ${part === "null" ? "missing" : part}`,
  );
  return words.length === 0 ? given(value) : ` (${words.join(", ")})`;
}

const priceParts: Readonly<Record<string, string>> = {
  occupancy: "persons",
  minAge: "from age",
  maxAge: "to age",
  amount: "amount",
};

/** A blank value would show as nothing at all. */
function quoted(value: string | null): string {
  return value === null ? "(none)" : JSON.stringify(value);
}
