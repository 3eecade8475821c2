import { isWithinDay } from "../../../core/documents/last-runs.ts";
import type { Problem } from "../../../schemas/generated/types.ts";
import { fieldLabel } from "../../output/field-words.ts";
import { counted, plainTime, type Reader } from "../../output/words.ts";
import type { RemovedPast } from "../../read/snapshots/program-past.ts";
import type { ProgramInSource } from "../facts/program.ts";
import type { TenantFacts } from "../facts/tenants.ts";
import { goneSince, type ProgramFacts, type Standing } from "./standings.ts";
import { commandTo, forSupport, type Step } from "./steps.ts";

/** A finding in a program's data in words: the field by its label, the value, and what its rule does. */
export function problemWords({ code, field, value, message }: Problem): string {
  const quoted = value?.startsWith("{") ? value : JSON.stringify(value);
  const [label, given] = [fieldLabel(field ?? "The program"), value === null ? "" : ` (${quoted})`];
  switch (code) {
    case "program_id_duplicate":
      return "Several programs in the booking system have this id, so partners see none.";
    case "program_name_blank":
      return "It has no name, and a program needs one.";
    case "lifecycle_state_unknown":
      return `Its state ${value === null ? "(none)" : quoted} is not one of active, draft, cancelled, completed, archived, ended.`;
    case "capacity_total_invalid":
      if (value === null) return "No capacity in the booking system, so partners see 0 places.";
  }
  return `${label}${given}: ${message}.`;
}

/** The first problems in words; empty when there are none. */
export function problemList(problems: readonly Problem[]): string {
  const shown = problems.slice(0, 3).map(problemWords);
  const more = problems.length - shown.length;
  return `${shown.join(" ")}${more > 0 ? ` (${more} more below.)` : ""}`;
}

/** Everything that keeps a program from being published, to be corrected at once. */
function correction(problems: readonly Problem[]): Step {
  const others = problems.filter(({ code }) => code !== "program_id_duplicate");
  const isTwice = others.length < problems.length;
  const twice = "Only one program can have this id: the others have to go, or to get other ids.";
  const fields = others.map(({ field }) =>
    field === "lifecycle_state" ? "State" : fieldLabel(field ?? "It"),
  );
  const correct = `Have this corrected in the booking system: ${[...new Set(fields)].join(", ")}.`;
  return forSupport([...(isTwice ? [twice] : []), ...(fields.length > 0 ? [correct] : [])].join(" "));
}

type NotPublishable = Extract<ProgramInSource, { readonly kind: "not_publishable" }>;

/** The states of all rows that have the id, such as `"archived" and "cancelled"`. */
export function saidStates({ state, rowStates }: Pick<NotPublishable, "state" | "rowStates">): string {
  const all = (rowStates ?? [state]).map((each) => JSON.stringify(each));
  return [all.slice(0, -1).join(", "), all.at(-1)].filter((part) => part !== "").join(" and ");
}

export function unpublishedState(source: NotPublishable): string {
  return `the source says ${saidStates(source)}, and only active programs are published.${ifActiveWords(source)}`;
}

/** What would be wrong with the program if its state were active; empty when nothing would. */
export function ifActiveWords({ ifActive, dropped }: NotPublishable): string {
  const isFaulty = ifActive.length > 0;
  const either = isFaulty ? ` Set to active, it could not be published either. ${problemList(ifActive)}` : "";
  const once = isFaulty ? "Corrected" : "Set to active";
  return dropped.length === 0
    ? either
    : `${either} ${once}, it would still not be shown whole: ${problemList(dropped)}`;
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

type Faulty = Extract<ProgramInSource, { readonly kind: "invalid" }>;
type Publishable = Extract<ProgramInSource, { readonly kind: "publishable" }>;

/** All that keeps it unpublished, and what partners would not see of it even if that were corrected. */
export function faultWords({ problems, dropped }: Faulty): string {
  const then =
    dropped.length === 0 ? "" : ` Corrected, it would still not be shown whole: ${problemList(dropped)}`;
  return `${problemList(problems)}${then}`;
}

/** What is to be corrected before partners see the program, or all of it. */
export function correctionSteps(source: Faulty | Publishable): readonly Step[] {
  const faults = source.kind === "invalid" ? [correction(source.problems)] : [];
  const fields = source.dropped.map(({ field }) => fieldLabel(field ?? "id"));
  if (fields.length === 0) return faults;
  const flaws = `Have this corrected in the booking system before that build, if it is not meant so: ${[...new Set(fields)].join(", ")}.`;
  return [...faults, forSupport(flaws)];
}

/** P207: what the source says of the program beside its tenant's trouble, and what to correct. */
export function besides(facts: ProgramFacts): Pick<Standing, "now"> & { readonly steps: readonly Step[] } {
  const { source, otherSpelling, tenantId } = facts;
  const nor = "Nor would partners see this program then:";
  switch (source.kind) {
    case "unavailable":
      return { now: "", steps: [] };
    case "tenant_unknown":
      // A tenant that neither side knows was mistyped, so what it lacks is no news.
      return source.rows.kind === "absent" && otherSpelling === null && facts.store.kind === "unpublished"
        ? { now: "", steps: [] }
        : besides({ ...facts, source: source.rows });
    case "not_publishable":
      return { now: ` ${nor} ${unpublishedState(source)}`, steps: [activation(source)] };
    case "invalid": {
      const now = ` ${nor} what the booking system has cannot be published. ${faultWords(source)}`;
      return { now, steps: correctionSteps(source) };
    }
    case "publishable":
      return { now: flawed(source), steps: correctionSteps(source) };
    case "absent": {
      if (otherSpelling === null) {
        const restore = "If this program should be sold, have it restored in the booking system.";
        return { now: ` ${nor} the booking system does not have it.`, steps: [forSupport(restore)] };
      }
      const { programId: id } = otherSpelling;
      const tell = "Tell the partner the right id, and see how that program stands.";
      const now = ` ${nor} the booking system writes its id ${JSON.stringify(id)}, and ids are compared exactly.`;
      return { now, steps: [forSupport(tell, commandTo.explain(tenantId, id))] };
    }
  }
}

/** What partners would not see of a program that can be published. */
export function flawed({ dropped }: Publishable): string {
  const flaws = problemList(dropped);
  return flaws === "" ? "" : ` Not all of that is as it should be: ${flaws}`;
}

type Runs = Pick<TenantFacts, "lastRun">;

/** P224: says that a run of the last day found a difference; `undefined` when none did. */
export function difference({ lastRun }: Runs, reader: Reader) {
  const at = lastRun?.differedAt;
  if (at === undefined || !isWithinDay(at, reader.now)) return undefined;
  const text = `a run found that what partners got was not what unchanged rows give, and read everything (${plainTime(at, reader)})`;
  return { at, text };
}

/** P227: says that a run of the last day withdrew most programs; `undefined` when none did. */
export function massWithdrawal({ lastRun }: Runs, reader: Reader) {
  const found = lastRun?.mostlyWithdrawn;
  if (found === undefined || !isWithinDay(found.at, reader.now)) return undefined;
  const { at, withdrawn, of, added } = found;
  const also = added === 0 ? "" : ` and added ${added}`;
  const text = `a build withdrew ${withdrawn} of ${counted(of, "program")}${also} (${plainTime(at, reader)}), as the source states`;
  return { at, text, step: forSupport("Find out whether the company really took those programs out.") };
}

/** P240: what such a run did to this program: it took it out, or partners may have got other data. */
export function daysFinding(
  { tenant, store }: ProgramFacts,
  reader: Reader,
): Pick<Standing, "now"> & { readonly steps: readonly Step[] } {
  const isServed = !tenant.isSandbox && goneSince(tenant) === null;
  const past = store.kind === "live" && isServed ? store.past : undefined;
  if (past === undefined || past?.kind === "never") return { now: "", steps: [] };
  const differed = difference(tenant, reader);
  const before = "so partners may have seen something else of it before";
  const now = differed === undefined ? "" : ` Of this tenant, ${differed.text}, ${before}.`;
  const most = massWithdrawal(tenant, reader);
  if (most === undefined || past?.kind !== "removed" || !isOfRun(past, most.at)) return { now, steps: [] };
  return { now: ` The program went with most of its tenant: ${most.text}.${now}`, steps: [most.step] };
}

/** Whether the run that ended then took it out: no build between did. An id begins with its time. */
function isOfRun({ by, next }: RemovedPast, endedAt: string): boolean {
  const began = (snapshotId: string): string => snapshotId.slice(0, 16);
  const ended = endedAt.replace(/[-:]|\.\d+/g, "");
  return began(by.snapshotId) <= ended && (next === null || began(next) >= ended);
}
