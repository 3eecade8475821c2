import { type Html, html } from "../../output/html.ts";
import type { TakenPlaces } from "../taken-places.ts";
import type { CsvTable } from "./csv.ts";
import { badge, dataTable } from "./parts.ts";

/** P75: which enrollments take places now, by status and role; who they are nobody is shown. */
export function takenPlacesSection(places: TakenPlaces): Html {
  return html`<section aria-labelledby="places"><h2 id="places">Who takes the places</h2>${content(places)}</section>`;
}

export function takenPlacesTable(places: TakenPlaces): readonly CsvTable[] {
  if (places.kind !== "asked" || places.groups.length === 0) return [];
  const rows = places.groups.map(({ status, role, count, place }) => [
    status,
    role,
    count,
    words[place].text,
  ]);
  return [{ name: "enrollments", columns: ["status", "role", "enrollments", "takes places"], rows }];
}

function content(places: TakenPlaces): Html {
  if (places.kind === "unavailable")
    return html`<p>The booking database could not be asked: ${places.reason}</p>`;
  const { groups, isCut } = places;
  const used = groups.reduce((sum, { count, place }) => sum + (place === "used" ? count : 0), 0);
  if (groups.length === 0)
    return html`<p>The booking database has no enrollment for this program: 0 places are taken.</p>`;
  return html`<p class="lead">${isCut ? "At least " : ""}${used.toLocaleString("en")} ${used === 1 ? "place is" : "places are"} taken, says the booking database now.</p>
${dataTable(
  "Enrollments by status and role",
  [
    { title: "Status", isHeading: true },
    { title: "Role" },
    { title: "Enrollments", isNumber: true },
    { title: "Takes places" },
  ],
  groups.map(({ status, role, count, place }) => [
    status ?? html`<span class="none">none</span>`,
    role ?? html`<span class="none">none</span>`,
    count.toLocaleString("en"),
    badge(words[place].text, words[place].isUsed ? "good" : "neutral"),
  ]),
)}
${isCut && html`<p>There are more kinds of enrollments than can be shown.</p>`}`;
}

const words = {
  used: { text: "yes", isUsed: true },
  terminal: { text: "no, it is over", isUsed: false },
  staff: { text: "no, staff", isUsed: false },
} as const;
