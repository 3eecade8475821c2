import type { ProgramDetail, PublicContent } from "../../../schemas/generated/types.ts";
import { directionOf, type Html, type HtmlValue, html } from "../../output/html.ts";
import { type CsvTable, csvTable } from "./csv.ts";
import { dataTable, factList, heading, numeric, price, shortDay } from "./parts.ts";

/** The sections of a program's page. Each is `false` when none of its fields is published. */

export function pricesSection({ prices: { rooms, children }, currency }: ProgramDetail): Html | false {
  if (rooms.length === 0 && children.length === 0) return false;
  return html`<section aria-labelledby="prices"><h2 id="prices">Prices</h2>
${
  rooms.length > 0 &&
  dataTable("Room prices", rooms, {
    Occupancy: ({ occupancy }) => occupancy,
    Amount: numeric(({ amount }) => price(amount, currency)),
  })
}
${
  children.length > 0 &&
  dataTable("Child prices", children, {
    "Children aged": ({ minAge, maxAge }) => `${minAge} to ${maxAge}`,
    Amount: numeric(({ amount }) => price(amount, currency)),
  })
}</section>`;
}

export function hotelsSection({ hotels: stays, accommodation }: ProgramDetail): Html | false {
  const description = accommodation?.description ?? null;
  if (stays.length === 0 && description === null) return false;
  return html`<section aria-labelledby="hotels"><h2 id="hotels">Hotels</h2>
${description !== null && html`<p class="prose" dir="${directionOf(description)}">${description}</p>`}
${
  stays.length > 0 &&
  dataTable("Hotel stays", stays, {
    Hotel: heading(({ name }) => html`<bdi>${name ?? "–"}</bdi>`),
    Place: ({ location }) => html`<bdi>${location ?? "–"}</bdi>`,
    From: ({ checkIn }) => shortDay(checkIn),
    To: ({ checkOut }) => shortDay(checkOut),
    Stars: numeric(({ starLevel }) => starLevel ?? "–"),
  })
}</section>`;
}

export function peopleSection({ staff, transport }: ProgramDetail): Html | false {
  if (staff === null && transport === null) return false;
  const teachers = staff?.teachers ?? [];
  return html`<section aria-labelledby="people"><h2 id="people">People and flights</h2>
${factList([
  ["Lead guide", staff?.leadGuide && html`<bdi>${staff.leadGuide.name}</bdi>`],
  [
    "Teachers",
    teachers.length > 0 &&
      list(
        teachers.map(
          ({ name, roleLabel }) =>
            html`<bdi>${name}</bdi>${roleLabel !== null && html` (<bdi>${roleLabel}</bdi>)`}`,
        ),
      ),
  ],
  [
    "Airlines",
    transport &&
      list(
        transport.flights.map(
          ({ airline }) => html`${airline.code} ${airline.logoUrl !== null && outside(airline.logoUrl)}`,
        ),
      ),
  ],
])}</section>`;
}

export function mediaSection({ media: urls }: ProgramDetail): Html | false {
  if (urls === null) return false;
  return html`<section aria-labelledby="media"><h2 id="media">Pictures</h2>
${factList([
  ["Cover", urls.coverUrl && outside(urls.coverUrl)],
  ["Gallery", urls.galleryUrls.length > 0 && list(urls.galleryUrls.map(outside))],
])}</section>`;
}

export function contentSection(content: PublicContent): Html {
  const { itinerary, faq, accommodationDescription } = content;
  const texts = (title: string, items: readonly string[]): Html | false =>
    items.length > 0 &&
    html`<h3>${title}</h3><ul dir="${directionOf(items.join(" "))}">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
  return html`<section aria-labelledby="content"><h2 id="content">What is said of it</h2>
${texts("Included", content.included)}
${texts("Not included", content.excluded)}
${texts("Places visited", content.visits)}
${accommodationDescription !== null && html`<h3>Accommodation</h3><p class="prose" dir="${directionOf(accommodationDescription)}">${accommodationDescription}</p>`}
${
  itinerary.length > 0 &&
  html`<h3>Itinerary</h3><ol class="prose" dir="${directionOf(itinerary.map(({ title }) => title).join(" "))}">${itinerary.map(
    ({ title, description }) =>
      html`<li><strong>${title}</strong>${description !== null && html`<br>${description}`}</li>`,
  )}</ol>`
}
${
  faq.length > 0 &&
  html`<h3>Questions</h3><dl class="prose">${faq.map(
    ({ question, answer }) =>
      html`<dt dir="${directionOf(question)}">${question}</dt><dd dir="${directionOf(answer)}">${answer}</dd>`,
  )}</dl>`
}</section>`;
}

export function sectionTables({ prices, hotels, currency }: ProgramDetail): readonly CsvTable[] {
  const tables = [
    csvTable("room-prices", prices.rooms, {
      occupancy: ({ occupancy }) => occupancy,
      amount: ({ amount }) => amount,
      currency: () => currency,
    }),
    csvTable("child-prices", prices.children, {
      "from age": ({ minAge }) => minAge,
      "to age": ({ maxAge }) => maxAge,
      amount: ({ amount }) => amount,
      currency: () => currency,
    }),
    csvTable("hotels", hotels, {
      hotel: ({ name }) => name,
      place: ({ location }) => location,
      from: ({ checkIn }) => checkIn,
      to: ({ checkOut }) => checkOut,
      stars: ({ starLevel }) => starLevel,
    }),
  ];
  return tables.filter(({ rows }) => rows.length > 0);
}

function list(items: readonly HtmlValue[]): Html {
  return html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`;
}

/** A link to a picture or page elsewhere. Pictures are not shown, since these pages load nothing from other servers. */
function outside(url: string): Html {
  if (!url.startsWith("https://")) return html`<span>${url}</span>`;
  return html`<a href="${url}" rel="noopener noreferrer">${url}</a>`;
}
