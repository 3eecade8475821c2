import type { ProgramListItem } from "../../../schemas/generated/types.ts";
import { type Html, html } from "../../output/html.ts";
import { foldedText } from "../find/find-anything.ts";
import { type CsvTable, csvTable } from "./csv.ts";
import { dataTable, heading, numeric, pager, price, shortDay } from "./parts.ts";

export interface ListedPrograms {
  readonly query: string;
  readonly found: FoundPrograms;
  /** The page's own address. */
  readonly path: string;
  readonly programPath: (programId: string) => string;
}

/** A snapshot's programs in the order of its list, with a search. */
export function programsSection({ query, found, path, programPath }: ListedPrograms): Html {
  const { total, page, pages } = found;
  const what = query === "" ? "" : ` matching “${query}”`;
  const count = `${total.toLocaleString("en")} ${total === 1 ? "program" : "programs"}${what}`;
  const place = pages > 1 ? `, page ${page} of ${pages}` : "";
  return html`<section aria-labelledby="programs"><h2 id="programs">Programs</h2>
<form class="search" action="${path}" method="get" role="search" aria-label="Programs">
<label for="q">Search by name or id</label>
<div class="field"><input id="q" name="q" type="search" autocomplete="off" value="${query}"><button>Search</button></div>
</form>
<p class="lead" role="status">${count}${place}</p>
${
  total > 0 &&
  dataTable("Programs in the order of the list that partners get", found.programs, {
    Program: heading(
      ({ id, name }) =>
        html`<a class="row-link" href="${programPath(id)}"><bdi>${name}</bdi></a> <code class="id">${id}</code>`,
    ),
    Departure: ({ departureDate }) => shortDay(departureDate),
    Days: numeric(({ durationDays }) => durationDays ?? "–"),
    Free: numeric(({ capacity }) => `${capacity.remaining} of ${capacity.total}`),
    From: numeric(({ prices, currency }) =>
      prices.startingAmount === null ? "–" : price(prices.startingAmount, currency),
    ),
  })
}
${pagesOf(path, query, found)}</section>`;
}

export function programsTable({ matches }: FoundPrograms): CsvTable {
  return csvTable("programs", matches, {
    id: ({ id }) => id,
    name: ({ name }) => name,
    departure: ({ departureDate }) => departureDate,
    days: ({ durationDays }) => durationDays,
    places: ({ capacity }) => capacity.total,
    taken: ({ capacity }) => capacity.used,
    free: ({ capacity }) => capacity.remaining,
    from: ({ prices }) => prices.startingAmount,
    currency: ({ currency }) => currency,
  });
}

function pagesOf(path: string, query: string, { page, pages }: FoundPrograms): Html | false {
  const address = (to: number): string => {
    const parameters = new URLSearchParams({ ...(query === "" ? {} : { q: query }), page: String(to) });
    return `${path}?${parameters.toString()}#programs`;
  };
  return pager(
    "Pages",
    page > 1 && ["← Earlier", address(page - 1)],
    page < pages && ["Later →", address(page + 1)],
  );
}

export interface FoundPrograms {
  readonly programs: readonly ProgramListItem[];
  readonly matches: readonly ProgramListItem[];
  /** All matches. */
  readonly total: number;
  /** From 1. */
  readonly page: number;
  readonly pages: number;
}

const perPage = 50;

/** The programs whose id or name has every word of the query, whatever its case and accents. Pure. */
export function searchPrograms(
  programs: readonly ProgramListItem[],
  query: string,
  page: number,
): FoundPrograms {
  const words = foldedText(query).split(/\s+/u).filter(Boolean);
  const matches = programs.filter(({ id, name }) => {
    const text = foldedText(`${id} ${name}`);
    return words.every((word) => text.includes(word));
  });
  const pages = Math.max(1, Math.ceil(matches.length / perPage));
  const shown = Math.min(Math.max(1, page), pages);
  return {
    programs: matches.slice((shown - 1) * perPage, shown * perPage),
    matches,
    total: matches.length,
    page: shown,
    pages,
  };
}
