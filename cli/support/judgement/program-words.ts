import type { Problem } from "../../../schemas/generated/types.ts";
import { fieldLabel } from "../../publish/public-program/field-words.ts";
import type { ProgramInSource } from "../facts/program-in-source.ts";
import { correction, type GarbledText, problemList } from "./problem-words.ts";
import { forOperations, forSupport, type Step } from "./step.ts";

// Sentences and steps that several cases of a program share.

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

export const nothingToDo: Step = forSupport(
  "Nothing is to be done. If the partner sees something else, ask for the X-Request-Id of the answer.",
  "request explain REQUEST_ID --log FILE",
);
export const askAgain =
  "Where the booking system's database could not be reached, ask again from where it can be; otherwise tell operations.";
export const mendViews: Step = forOperations(
  "If the database was reached, see which view fails or may not be read, and mend it.",
  "source check",
);
export const tenantAdvice =
  "Check the tenant's id. A tenant that should be sold must be in the view partner_source.tenants.";

export function didYouMean(near: string | null): string {
  return near === null ? "" : ` Did you mean ${near}, which partners see?`;
}
