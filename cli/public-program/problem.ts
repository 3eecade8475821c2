import { printable } from "../../core/printable.ts";

/**
 * Everything that can be wrong with one program's data, and what the rule does about it. An *error* keeps the
 * program from being published (see `--on-invalid`); a *warning* says what was dropped or blanked.
 */
export const problemRules = {
  program_id_invalid: {
    severity: "error",
    rule: "a program id is 1 to 128 of A-Z a-z 0-9 . _ ~ -, the first a letter or a digit",
  },
  program_id_duplicate: {
    severity: "error",
    rule: "two programs of one tenant have the same id: neither is published",
  },
  program_name_blank: { severity: "error", rule: "a program needs a name" },
  lifecycle_state_unknown: {
    severity: "error",
    rule: "the lifecycle state is one of active, draft, cancelled, completed, archived, ended",
  },
  value_too_large: {
    severity: "error",
    rule: "a value larger than MAX_VALUE_KB is not read: shorten it, or raise the setting",
  },
  program_too_large: {
    severity: "error",
    rule: "a program larger than MAX_PROGRAM_KB is not published: give it less, or raise the setting",
  },
  schema_violation: { severity: "error", rule: "the published document must fit its JSON Schema" },
  date_out_of_range: {
    severity: "warning",
    rule: "a date before year 1, after 9999 or infinite is published as null",
  },
  dates_reversed: {
    severity: "warning",
    rule: "return before departure: both dates are published, the duration is null",
  },
  currency_invalid: {
    severity: "warning",
    rule: "a currency is three letters, else it is published as null",
  },
  capacity_total_invalid: {
    severity: "warning",
    rule: "a missing, negative or impossibly large capacity counts as 0",
  },
  enrollment_role_unknown: {
    severity: "warning",
    rule: "an enrollment of an unknown role counts as a passenger",
  },
  room_price_dropped: {
    severity: "warning",
    rule: "a room price needs an occupancy of at least 1 and an amount above 0 that JSON can hold exactly",
  },
  legacy_price_dropped: {
    severity: "warning",
    rule: "a legacy price is an amount above 0 that JSON can hold exactly",
  },
  child_price_dropped: {
    severity: "warning",
    rule: "a child price needs 0 <= minAge <= maxAge and an amount of at least 0 that JSON can hold exactly",
  },
  star_level_invalid: { severity: "warning", rule: "a star level is 1 to 5, else it is published as null" },
  stay_empty: { severity: "warning", rule: "a hotel stay of which nothing is known is dropped" },
  gender_invalid: { severity: "warning", rule: "a gender is male or female, else it is published as null" },
  staff_role_unknown: {
    severity: "warning",
    rule: "the role of staff is lead_guide or teacher, else it is dropped",
  },
  lead_guide_surplus: {
    severity: "warning",
    rule: "of several lead guides the first by position is published",
  },
  url_dropped: {
    severity: "warning",
    rule: "only absolute https URLs without user information are published",
  },
  text_missing: { severity: "warning", rule: "an element whose required text is blank is dropped" },
  rows_of_unknown_program: {
    severity: "warning",
    rule: "rows of programs that do not exist are passed over",
  },
  programs_of_unknown_tenant: {
    severity: "warning",
    rule: "programs of tenants that are not in the view tenants are passed over",
  },
  tenant_id_invalid: {
    severity: "error",
    rule: "a tenant id is 1 to 64 of A-Z a-z 0-9 . _ ~ -, the first a letter or a digit",
  },
  tenant_duplicate: { severity: "warning", rule: "a tenant that the view tenants lists twice is built once" },
  tenant_vanished: {
    severity: "warning",
    rule: "a tenant that is no longer in the source keeps its last snapshot",
  },
  manifest_unreadable: {
    severity: "warning",
    rule: "the live manifest cannot be trusted, so every file is written anew",
  },
} as const satisfies Readonly<
  Record<string, { readonly severity: "error" | "warning"; readonly rule: string }>
>;

export type ProblemCode = keyof typeof problemRules;

/** One finding in the source's data, as data. */
export interface DataProblem {
  readonly code: ProblemCode;
  readonly programId: string | null;
  /** The public field it concerns (`prices.rooms[2]`, in source order), or `null` for the whole. */
  readonly field: string | null;
  /** The offending value, shortened. */
  readonly value: string | null;
}

/** Collects the problems of one program. */
export type Report = (code: ProblemCode, field: string, value: unknown) => void;

export function severityOf(code: ProblemCode): "error" | "warning" {
  return problemRules[code].severity;
}

/** A value as a report shows it: on one line, at most 60 characters, none of which steers a terminal. */
export function shownValue(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const line = printable(text);
  return line.length <= maxShown ? line : `${line.slice(0, maxShown - 1).replace(halfPair, "")}…`;
}

const maxShown = 60;
const halfPair = /[\ud800-\udbff]$/;
