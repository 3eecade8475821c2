import type { PublicContent } from "../../../schemas/generated/types.ts";
import type { Report } from "./problem.ts";
import type { FaqRow, ItineraryRow, ProgramSource } from "./program-source.ts";
import { presentText, presentTexts } from "./text.ts";

/** D6: `null` when nothing in it is known: all arrays empty and no accommodation description. */
export function content(source: ProgramSource, report: Report): PublicContent | null {
  const parts: PublicContent = {
    included: presentTexts(source.included, "content.included", report),
    excluded: presentTexts(source.excluded, "content.excluded", report),
    visits: presentTexts(source.visits, "content.visits", report),
    accommodationDescription: presentText(source.accommodationDescription),
    faq: faq(source.faq, report),
    itinerary: itinerary(source.itinerary, report),
  };
  const lists = [parts.included, parts.excluded, parts.visits, parts.faq, parts.itinerary];
  const known = parts.accommodationDescription !== null || lists.some((list) => list.length > 0);
  return known ? parts : null;
}

function faq(rows: readonly FaqRow[], report: Report): PublicContent["faq"] {
  return rows.flatMap(([rawQuestion, rawAnswer], at) => {
    const question = presentText(rawQuestion);
    const answer = presentText(rawAnswer);
    if (question !== null && answer !== null) return [{ question, answer }];
    report("text_missing", `content.faq[${at}].${question === null ? "question" : "answer"}`, null);
    return [];
  });
}

function itinerary(rows: readonly ItineraryRow[], report: Report): PublicContent["itinerary"] {
  return rows.flatMap(([rawTitle, description], at) => {
    const title = presentText(rawTitle);
    if (title !== null) return [{ title, description: presentText(description) }];
    report("text_missing", `content.itinerary[${at}].title`, rawTitle);
    return [];
  });
}
