import { lifecycle, type ProgramSource } from "../../publish/public-program/program-source.ts";
import { sourceViews, viewNames } from "../../publish/source/contract.ts";
import { fieldOf } from "../../publish/source/program-row.ts";

/** Beyond these a value is legal and probably wrong. Mostly mistaken hints are soon read by nobody. */
const limits = {
  /** Nobody sells tours of the last century: it is a default (`1970-01-01`) or a year of two digits. */
  firstDeparture: "2000-01-01",
  /** Tours are sold two or three years ahead. A later date is a placeholder (`2099-12-31`) or a slip. */
  yearsAhead: 5,
  /** Where the company is, it may still be yesterday. */
  daysOfGrace: 1,
} as const;

/** What is legal and probably wrong, and what to do about it. */
export const hintRules = {
  trip_past: {
    rule: "the last day of an active program is past",
    advice: "let the view programs give it the state ended",
  },
  departure_far: {
    rule: `a trip begins or ends before ${limits.firstDeparture.slice(0, 4)} or more than ${limits.yearsAhead} years ahead`,
    advice: "look for a default date or a year of two digits; NULL stands for a date that is not known",
  },
  currency_missing: {
    rule: "a program has prices and no currency",
    advice: "give the currency in the view programs, as a constant ('EUR' AS currency) if there is only one",
  },
  markup_in_text: {
    rule: "a text has markup or entities, which partners show as they stand",
    advice: "make plain text of it in the view; the cookbook has a function for it",
  },
  text_garbled: {
    rule: "a text was encoded twice: its UTF-8 was taken for Windows-1252",
    advice:
      "repair it where it is stored, or read it in the view as convert_from(convert_to(value, 'WIN1252'), 'UTF8')",
  },
  test_program: {
    rule: "the name of an active program says that it is none to book",
    advice: "give such programs the state draft in the view programs, or leave test companies out of tenants",
  },
  program_twice: {
    rule: "a program has the name, the dates and the description of another one",
    advice:
      "look for a join that multiplies and makes ids of its rows, or for a program that was entered twice",
  },
  value_everywhere: {
    rule: "all active programs of a tenant have one value where values differ",
    advice: "look whether the view takes the right column of the right table",
  },
  price_missing: {
    rule: "a tenant has no price, while others have",
    advice: "look whether the join of room_prices finds the prices of this tenant",
  },
  overbooked: {
    rule: "in more than a tenth of a tenant's programs more places are taken than there are",
    advice:
      "look whether enrollments are joined by the program, whether cancelled ones count, and what capacity_total is",
  },
  price_twice: {
    rule: "a program has two prices for one occupancy or one age band, and both are published",
    advice: "look for a join that multiplies, or choose one of the prices in the view",
  },
  status_takes_place: {
    rule: "all statuses take a place",
    advice: "name those of bookings that take none, such as cancelled ones, in TERMINAL_ENROLLMENT_STATUSES",
  },
  hints_unasked: {
    rule: "a question about all tenants' rows could not be answered, so its hint is missing",
    advice: "a build needs none; look at the value or the view that the message names",
  },
} as const;

export type HintCode = keyof typeof hintRules;

type Hint = readonly [code: HintCode, view: string, column: string, value: string | null];

/**
 * P191: what of a program is legal and probably wrong on the day `today` (`YYYY-MM-DD`). Only active programs
 * have hints, since partners see no other. Dates and amounts that a build drops are passed over: they have
 * findings of their own.
 */
export function hintsOf(source: ProgramSource, today: string): readonly Hint[] {
  if (lifecycle(source.lifecycleState).kind !== "publishable") return [];
  const hints = [...dateHints(source, today), ...priceHints(source), ...textHints(source)];
  return [...new Map(hints.map((hint) => [JSON.stringify(hint), hint])).values()];
}

function* dateHints({ departureDate, returnDate }: ProgramSource, today: string): Generator<Hint> {
  const isDay = (date: string | null): date is string => /^\d{4}-\d{2}-\d{2}$/.test(date ?? "");
  const { firstDeparture, yearsAhead, daysOfGrace } = limits;
  // A program without a return date is past when its departure is.
  const days = [departureDate, returnDate].filter((date) => date !== null).sort();
  const last = days.at(-1) ?? null;
  const graceBegins = new Date(Date.parse(today) - daysOfGrace * 86_400_000).toISOString().slice(0, 10);
  if (isDay(last) && last >= firstDeparture && last < graceBegins) {
    yield ["trip_past", "programs", "return_date", last];
  }
  const lastDeparture = `${Number(today.slice(0, 4)) + yearsAhead}${today.slice(4)}`;
  for (const [column, date] of Object.entries({ departure_date: departureDate, return_date: returnDate })) {
    const isFar = isDay(date) && (date < firstDeparture || date > lastDeparture);
    if (isFar) yield ["departure_far", "programs", column, date];
  }
}

function* priceHints({ currency, legacyPrice, roomPrices, childPrices }: ProgramSource): Generator<Hint> {
  const rooms = roomPrices.filter(([, amount]) => Number(amount) > 0);
  const children = childPrices.filter(([, , amount]) => amount !== null && Number(amount) >= 0);
  const isPriced = Number(legacyPrice) > 0 || rooms.length + children.length > 0;
  if (isPriced && (currency ?? "").trim() === "") {
    yield ["currency_missing", "programs", "currency", currency];
  }
  const ofRooms = rooms.filter(([occupancy]) => Number(occupancy) > 0);
  for (const value of pricedTwice(ofRooms.map(([shared, amount]) => [`occupancy ${shared}`, amount]))) {
    yield ["price_twice", "room_prices", "occupancy", value];
  }
  for (const value of pricedTwice(children.map(([from, to, amount]) => [`ages ${from} to ${to}`, amount]))) {
    yield ["price_twice", "child_prices", "min_age", value];
  }
}

/** What has several prices, and whether their amounts differ. */
function pricedTwice(prices: readonly (readonly [what: string, amount: string | null])[]): readonly string[] {
  const amounts = new Map<string, number[]>();
  for (const [what, amount] of prices) {
    const known = amounts.get(what) ?? [];
    known.push(Number(amount));
    amounts.set(what, known);
  }
  return [...amounts].flatMap(([what, [first, ...others]]) => {
    if (others.length === 0) return [];
    return [`${what}, ${others.every((other) => other === first) ? "the same amount" : "different amounts"}`];
  });
}

/** The first tag or entity of each text that partners see, and its first word that was encoded twice. */
function* textHints(source: ProgramSource): Generator<Hint> {
  const name = source.name?.trim() ?? "";
  if (testName.test(name) || isMarkedTest(name)) yield ["test_program", "programs", "name", source.name];
  const fields = source as unknown as Readonly<Record<string, readonly (readonly unknown[])[]>>;
  for (const { view, column, place } of textColumns) {
    const values =
      view === "programs" ? [fields[fieldOf(column)]] : fields[fieldOf(view)]?.map((row) => row[place]);
    for (const value of values ?? []) {
      const text = Array.isArray(value) ? value.join(" ") : String(value);
      const [, tag] = htmlTag.exec(text) ?? [];
      const found = tag === undefined ? htmlEntity.exec(text)?.[0] : `<${tag.toLowerCase()}>`;
      if (found !== undefined) yield ["markup_in_text", view, column, found];
      const word = text.split(/\s/).find((each) => encodedTwice.test(each));
      if (word !== undefined) yield ["text_garbled", view, column, word];
    }
  }
}

/** The columns with texts for people; `place`: in the row of a child view. */
const textColumns = viewNames.flatMap((view) =>
  sourceViews[view].columns
    .filter(([column]) => column !== "position")
    .flatMap(([column, kind, field], place) => {
      const isText = field !== null && kind.startsWith("text") && !/_urls?$/.test(column);
      return isText ? [{ view, column, place }] : [];
    }),
);

/** Elements of HTML that stand in texts. Other words in angle brackets, such as `<Beginners>`, are text. */
const htmlTag =
  /<(\/?(?:a|b|blockquote|br|center|code|div|em|font|h[1-6]|hr|i|iframe|img|li|ol|p|pre|script|small|span|strong|style|sub|sup|table|tbody|td|th|tr|u|ul))(?:\s[^<>]*)?\/?>/i;
/** Entities of HTML: `&Breakfast;` is none, but a text about bed and breakfast. */
const htmlEntity =
  /&(?:#\d+|#[xX][0-9A-Fa-f]+|[AEIOUYaeiouy](?:acute|circ|grave|uml)|[ANOano]tilde|[Aa]ring|[Cc]cedil|[Oo]slash|[Ss]caron|AElig|aelig|OElig|oelig|szlig|[lg]t|amp|quot|apos|nbsp|shy|[ne]msp|thinsp|[nm]dash|[lr]squo|sbquo|[lrb]dquo|[lr]aquo|[lr]saquo|hellip|bull|middot|deg|euro|cent|pound|yen|copy|reg|trade|sect|para|dagger|times|divide|plusmn|frac1[24]|frac34|sup[123]|ord[fm]|micro|permil|prime|iexcl|iquest|[lurdh]arr|hearts|infin);/;

/** UTF-8 of letters and signs, read as Windows-1252: `CafÃ©`, `itâ€™s`. `Ã` before a space is Portuguese. */
const encodedTwice =
  /[ÃÄÅ][\u0080-\u009f\u00a1-\u00aa\u00ac-\u00ba\u00bc-\u00bf]|Â[\u00a0-\u00bf]|â€[™œ“”¦¢\u0080-\u009f]/;

/** Names that say in whole words that nobody is to book. "Test" alone says nothing: a match is one, too. */
const testName =
  /\b(?:dummy|lorem ipsum|do not (?:book|use)|nicht buchen)\b|^test(?:ing)?(?: (?:tour|trip|program(?:me)?|product))?\W*\d*$/i;

/** TEST in capitals, in a name that is not written in capitals as a whole. */
function isMarkedTest(name: string): boolean {
  return /[a-z]/.test(name) && name.split(/\W/).includes("TEST");
}
