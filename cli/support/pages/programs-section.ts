import type { ProgramListItem } from "../../../schemas/generated/types.ts";
import { counted } from "../../output/counted.ts";
import { type Html, html } from "../../output/html.ts";
import { programPath, programsPath, tenantPath } from "./addresses.ts";
import { foldedText } from "./find-anything.ts";
import { dataTable, heading, numeric, pager, price, section, shortDay } from "./parts.ts";
import { pageOf } from "./route.ts";

/** The live snapshot's programs in the order of its list, with a search. */
export function programsSection(
  tenantId: string,
  programs: readonly ProgramListItem[],
  query: URLSearchParams,
): Html {
  const { words, matches, ...listed } = searchPrograms(programs, query);
  const path = tenantPath(tenantId);
  return section(
    "programs",
    "Programs",
    html`<form class="search" action="${path}" method="get" role="search" aria-label="Programs">
<label for="q">Search by name or id</label>
<div class="field"><input id="q" name="q" type="search" autocomplete="off" value="${words}"><button>Search</button></div>
</form>
<p class="lead" role="status">${counted(matches.length, "program")}${words !== "" && ` matching “${words}”`}${listed.place}</p>
${
  matches.length > 0 &&
  dataTable("Programs in the order of the list that partners get", listed.rows, {
    Program: heading(
      ({ id, name }) =>
        html`<a class="row-link" href="${programPath(tenantId, id)}"><bdi>${name}</bdi></a> <code class="id">${id}</code>`,
    ),
    Departure: ({ departureDate }) => shortDay(departureDate),
    Days: numeric(({ durationDays }) => durationDays ?? "–"),
    Free: numeric(({ capacity }) => `${capacity.remaining} of ${capacity.total}`),
    From: numeric(({ prices, currency }) =>
      prices.startingAmount === null ? "–" : price(prices.startingAmount, currency),
    ),
  })
}
${pager(listed, (page) => {
  const parameters = new URLSearchParams({ ...(words === "" ? {} : { q: words }), page: String(page) });
  return `${path}?${parameters}#programs`;
})}`,
  );
}

/** The programs whose id or name has every word of the query `q`, whatever its case and accents, and one page of them. Pure. */
function searchPrograms(programs: readonly ProgramListItem[], query: URLSearchParams) {
  const words = query.get("q")?.trim() ?? "";
  const folded = foldedText(words).split(/\s+/u).filter(Boolean);
  const matches = programs.filter(({ id, name }) => {
    const text = foldedText(`${id} ${name}`);
    return folded.every((word) => text.includes(word));
  });
  return { words, matches, ...pageOf(matches, query) };
}

/** The form for the question that brings most people to these pages. */
export function whyForm(tenantId: string, programId = ""): Html {
  return section(
    "why",
    programId === "" ? "Why isn’t a program served?" : "Ask about another program",
    html`<form class="search" action="${programsPath(tenantId)}" method="get">
<label for="program">Program id, as the partner or the booking system writes it</label>
<div class="field"><input id="program" name="id" required maxlength="500" autocomplete="off" spellcheck="false" value="">
<button>Explain</button></div>
</form>`,
  );
}
