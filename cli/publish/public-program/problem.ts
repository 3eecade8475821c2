import { escaped, printable, shortened } from "../../../core/ground/printable.ts";
import type { Problem } from "../../../schemas/generated/types.ts";

interface ProblemRule {
  readonly severity: "error" | "warning";
  readonly rule: string;
  /** How to mend it in the source, for findings of `source check`. */
  readonly advice: string;
}

function error(rule: string, advice = ""): ProblemRule {
  return { severity: "error", rule, advice };
}

function warning(rule: string, advice = ""): ProblemRule {
  return { severity: "warning", rule, advice };
}

/**
 * All problems of the source's data, and what the rule of each does. An *error* keeps the program from being
 * published (see `--on-invalid`); a *warning* says what was dropped or blanked.
 */
export const problemRules = {
  program_id_invalid: error(
    "a program id is 1 to 128 of A-Z a-z 0-9 . _ ~ -, the first a letter or a digit",
    "rename the id in the view",
  ),
  program_id_duplicate: error(
    "two programs of one tenant have the same id: neither is published",
    "look for a join that multiplies the rows of the view; if there is none, your data has the program twice",
  ),
  program_name_blank: error("a program needs a name", "set the name, or the state to draft"),
  lifecycle_state_unknown: error(
    "the lifecycle state is one of active, draft, cancelled, completed, archived, ended",
    "translate your own states to these in the view (CASE ... ELSE the raw state END)",
  ),
  value_too_large: error(
    "a value larger than MAX_VALUE_KB is not read: shorten it, or raise the setting",
    "shorten it in the view, or raise MAX_VALUE_KB for all builds",
  ),
  program_too_large: error(
    "a program larger than MAX_PROGRAM_KB is not published: give it less, or raise the setting",
    "leave rows out of the view, or raise MAX_PROGRAM_KB for all builds",
  ),
  schema_violation: error(
    "the published document must fit its JSON Schema",
    "make the value what the message asks for, such as a list of one dimension",
  ),
  date_out_of_range: warning(
    "a date before year 1, after 9999 or infinite is published as null",
    "correct the date",
  ),
  dates_reversed: warning(
    "return before departure: both dates are published, the duration is null",
    "correct one of the dates",
  ),
  currency_invalid: warning(
    "a currency is three letters, else it is published as null",
    "use the code of ISO 4217, or NULL",
  ),
  capacity_total_invalid: warning(
    "a missing, negative or impossibly large capacity counts as 0",
    "set the capacity",
  ),
  enrollment_role_unknown: warning(
    "an enrollment of an unknown role counts as a passenger",
    "translate your own roles to passenger and staff in the view",
  ),
  room_price_dropped: warning(
    "a room price needs an occupancy of at least 1 and an amount above 0 that JSON can hold exactly",
    "set the price and how many share the room, or leave the row out",
  ),
  legacy_price_dropped: warning(
    "a legacy price is an amount above 0 that JSON can hold exactly",
    "set the price, or NULL when there is none",
  ),
  child_price_dropped: warning(
    "a child price needs 0 <= minAge <= maxAge and an amount of at least 0 that JSON can hold exactly",
    "set the price (0 is for free) and both ages of the band, or leave the row out",
  ),
  star_level_invalid: warning(
    "a star level is 1 to 5, else it is published as null",
    "map your rating to 1..5 or NULL",
  ),
  stay_empty: warning("a hotel stay without any known field is dropped", "leave the row out of the view"),
  gender_invalid: warning(
    "a gender is male or female, else it is published as null",
    "use NULL where it is neither",
  ),
  staff_role_unknown: warning(
    "the role of staff is lead_guide or teacher, else it is dropped",
    "translate your own duties in the view and leave others out of it",
  ),
  lead_guide_surplus: warning(
    "of several lead guides the first by position is published",
    "make the others teachers, or leave them out of the view",
  ),
  url_dropped: warning(
    "only absolute https URLs without user information are published",
    "use an https address",
  ),
  text_missing: warning(
    "an element whose required text is blank is dropped",
    "set the text, or leave the element out of the view",
  ),
  rows_of_unknown_program: warning(
    "rows of programs that do not exist are passed over",
    "leave the rows out of the view, or add their programs to the view programs",
  ),
  programs_of_unknown_tenant: warning(
    "programs of tenants that are not in the view tenants are passed over",
    "add the tenant to the view tenants",
  ),
  rows_of_unknown_tenant: warning(
    "rows of tenants that are not in the view tenants are passed over",
    "add the tenant to the view tenants, or write its id as that view does",
  ),
  tenant_id_null: warning(
    "rows whose tenant_id is NULL belong to nobody and are passed over",
    "give them the id of their tenant in the view: look at the join or the column that it comes from",
  ),
  tenant_id_invalid: error(
    "a tenant id is 1 to 64 of A-Z a-z 0-9 . _ ~ -, the first a letter or a digit",
    "rename the tenant's id in the view",
  ),
  tenant_duplicate: warning(
    "a tenant that the view tenants lists twice is built once",
    "look for a join that multiplies the rows of the view; if there is none, your data has the tenant twice",
  ),
  programs_shared: warning(
    "another tenant has programs of the same ids and names",
    "look whether the view programs joins each program to its own tenant by the key",
  ),
  shared_unknown: warning(
    "the source could not be asked which other tenants have the added programs, too",
    "look with `source check` at what keeps the view programs from being read for all tenants",
  ),
  // Only builds find the following.
  tenants_unreadable: error(
    "the view tenants fails as a whole: tenants that partners have are asked for one by one, new ones are not found",
  ),
  source_unasked: warning(
    "a question about the whole source was not answered; each tenant is tried by itself",
  ),
  tenant_vanished: warning("a tenant that is no longer in the source keeps its last snapshot"),
  tenant_renamed: warning(
    "a tenant that is no longer in the source has the programs of a new one: tokens of the old id go on with its last snapshot",
  ),
  tenant_returned: warning(
    "a tenant that was removed and is in the source again is published again, without its old tokens",
  ),
  tenant_is_sandbox: error(
    "a tenant of the source with the id of the store's sandbox is not built: the sandbox's tokens would read its data",
  ),
  manifest_unreadable: warning("the live manifest cannot be trusted, so every file is written anew"),
  memory_unwritten: warning("source.json could not be written, so the next build reads everything"),
  withdrawals_unknown: warning(
    "programs that the source withdrew stay served: their states could not be read, or the store did not take the change",
  ),
  snapshot_differs: error(
    "what partners get of a program is not what its unchanged rows give; the tenant is read in full, at most once a day",
  ),
  fields_emptied: warning("all programs that had the field filled have it empty now"),
  capacity_changed: warning("most programs get another number of places taken at once"),
  mostly_withdrawn: warning(
    "most programs that were live and have not ended are withdrawn at once: look whether the states of the view programs are right",
  ),
  mostly_changed: warning("most programs change in this: look at the view that it comes from"),
  snapshot_empty: warning("the live snapshot has no program: partners get an empty list"),
} satisfies Readonly<Record<string, ProblemRule>>;

export type ProblemCode = keyof typeof problemRules;

export interface DataProblem {
  readonly code: ProblemCode;
  /** The whole id as the source writes it (P57). */
  readonly programId: string | null;
  /** The public field (`prices.rooms[2]`, in source order), or `null` when the whole program is meant. */
  readonly field: string | null;
  readonly value: string | null;
}

/** The problem in a report, with the severity and the words of its rule. */
export function reportedProblem({ code, programId, field, value }: DataProblem): Problem {
  const { severity, rule } = problemRules[code];
  const shown = value === null ? null : shortened(value, maxValueLength);
  return { severity, code, programId, field, value: shown, message: rule };
}

/** The report schema allows at most this many characters in a value. */
const maxValueLength = 200;

export type Report = (code: ProblemCode, field: string, value: unknown) => void;

export function severityOf(code: ProblemCode): "error" | "warning" {
  return problemRules[code].severity;
}

/**
 * An id as people see it (P57): a well-formed one as it is, any other as a JSON string, in which spaces, line
 * breaks and invisible characters can be seen and copied. Ids are never cut, because people search for them.
 */
export function shownId(id: string | null): string {
  // NULL has no quotes, and an id of these four letters has (D130).
  if (id === null) return "NULL";
  return id !== "NULL" && /^[A-Za-z0-9._~-]+$/.test(id) ? id : escaped(JSON.stringify(id));
}

/** A value as a report shows it: one line of at most 60 characters, without any that steer a terminal. */
export function shownValue(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const line = printable(typeof value === "string" ? value : JSON.stringify(value));
  return line.length <= maxShown ? line : `${line.slice(0, maxShown - 1).replace(halfPair, "")}…`;
}

const maxShown = 60;
const halfPair = /[\ud800-\udbff]$/;
