import type { ProgramListItem } from "../../../schemas/generated/types.ts";
import { counted } from "../../output/counted.ts";
import { type Html, html } from "../../output/html.ts";
import { foldedText } from "../find/find-anything.ts";
import { type CsvTable, csvTable } from "./csv.ts";
import { dataTable, heading, numeric, pager, price, shortDay } from "./parts.ts";
import { pageOf } from "./route.ts";

export interface ListedPrograms {
  readonly found: FoundPrograms;
  /** The page's own address. */
  readonly path: string;
  readonly programPath: (programId: string) => string;
}

/** A snapshot's programs in the order of its list, with a search. */
export function programsSection({ found, path, programPath }: ListedPrograms): Html {
  const { words, matches, rows, place } = found;
  const what = words === "" ? "" : ` matching “${words}”`;
  const count = `${counted(matches.length, "program")}${what}`;
  return html`<section aria-labelledby="programs"><h2 id="programs">Programs</h2>
<form class="search" action="${path}" method="get" role="search" aria-label="Programs">
<label for="q">Search by name or id</label>
<div class="field"><input id="q" name="q" type="search" autocomplete="off" value="${words}"><button>Search</button></div>
</form>
<p class="lead" role="status">${count}${place}</p>
${
  matches.length > 0 &&
  dataTable("Programs in the order of the list that partners get", rows, {
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
${pagesOf(path, found)}</section>`;
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

function pagesOf(path: string, { words, page, pages }: FoundPrograms): Html | false {
  const address = (to: number): string => {
    const parameters = new URLSearchParams({ ...(words === "" ? {} : { q: words }), page: String(to) });
    return `${path}?${parameters.toString()}#programs`;
  };
  return pager(
    "Pages",
    page > 1 && ["← Earlier", address(page - 1)],
    page < pages && ["Later →", address(page + 1)],
  );
}

type FoundPrograms = ReturnType<typeof searchPrograms>;

/** The programs whose id or name has every word of the query `q`, whatever its case and accents, and one page of them. Pure. */
export function searchPrograms(programs: readonly ProgramListItem[], query: URLSearchParams) {
  const words = query.get("q")?.trim() ?? "";
  const folded = foldedText(words).split(/\s+/u).filter(Boolean);
  const matches = programs.filter(({ id, name }) => {
    const text = foldedText(`${id} ${name}`);
    return folded.every((word) => text.includes(word));
  });
  return { words, matches, ...pageOf(matches, query) };
}
