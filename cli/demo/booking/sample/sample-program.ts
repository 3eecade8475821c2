import type { SampleCompany } from "./sample-company.ts";
import type { SampleGuide, SampleHotel, SampleTour } from "./sample-profile.ts";
import { type SampleRandom, sampleRandom } from "./sample-random.ts";

/** The facts from which all rows of a program are made. */
export interface SampleProgram {
  readonly company: SampleCompany;
  /** The program's number within the company, counted from 0. */
  readonly index: number;
  readonly code: string;
  readonly name: string;
  readonly situation: SampleSituation;
  readonly state: "draft" | "active" | "cancelled" | "completed" | "archived";
  readonly tour: SampleTour;
  readonly days: number;
  readonly departureDate: string | null;
  readonly returnDate: string | null;
  readonly capacity: number | null;
  readonly currency: string | null;
  /** Per person in a double room. */
  readonly price: number;
  /** Position in the company's list of guides. */
  readonly leadGuide: number;
  /** Randomness for one purpose. Each purpose has its own, so that a new column changes no other one. */
  readonly random: (purpose: string) => SampleRandom;
}

/** Determines the sample: the same seed and date give the same rows. */
export interface SampleOrigin {
  readonly seed: string;
  /** The day that dates are relative to. */
  readonly today: string;
}

export function sampleProgram(origin: SampleOrigin, company: SampleCompany, index: number): SampleProgram {
  const { profile } = company;
  const random = (purpose: string): SampleRandom =>
    sampleRandom(`${origin.seed}/${company.code}/${index}/${purpose}`);
  const facts = random("facts");
  const situation = sampleSituations[index % sampleSituations.length] ?? "ordinary";
  const tour = cyclic(profile.tours, index);
  const edition = cyclic(profile.editions, Math.floor(index / profile.tours.length));
  const days = situation === "one_day" ? 1 : tour.days;
  const dates = travelDates(origin.today, situation, days, facts);
  const year = (dates.departureDate ?? origin.today).slice(0, 4);
  return {
    company,
    index,
    code: `${company.programPrefix}-${year}-${String(index + 1).padStart(4, "0")}`,
    name: `${tour.name}${edition}`,
    situation,
    state: stateOf(situation),
    tour,
    days,
    ...dates,
    capacity: situation === "no_capacity" ? null : capacityOf(situation, facts),
    // Most programs are sold in the company's currency (`null`), and a few in another one.
    currency: facts.chance(10) ? "USD" : null,
    price: roundTo(tour.price * (facts.integer(85, 130) / 100), profile.priceStep),
    leadGuide: facts.integer(0, profile.guides.length - 1),
    random,
  };
}

/** The hotel of one of the program's stays. */
export function hotelOf({ tour, company }: SampleProgram, stay: number): SampleHotel {
  return cyclic(company.profile.hotels, tour.hotels[stay] ?? 0);
}

export function guideOf({ company }: SampleProgram, position: number): SampleGuide {
  return cyclic(company.profile.guides, position);
}

export function cyclic<Item>(list: readonly Item[], at: number): Item {
  const item = list[at % list.length];
  if (item === undefined) throw new RangeError("an empty list");
  return item;
}

/** The nearest multiple of `step`, with at most two decimals. It never ends in `privateCents`. */
export function roundTo(amount: number, step: number): number {
  return Math.round(Math.max(1, Math.round(amount / step)) * step * 100) / 100;
}

function travelDates(
  today: string,
  situation: SampleSituation,
  days: number,
  random: SampleRandom,
): { departureDate: string | null; returnDate: string | null } {
  const ahead = addDays(today, random.integer(7, 330));
  const past = addDays(today, -random.integer(30, 300));
  switch (situation) {
    case "no_dates":
      return { departureDate: null, returnDate: null };
    case "no_return_date":
      return { departureDate: ahead, returnDate: null };
    case "return_before_departure":
      return { departureDate: ahead, returnDate: addDays(ahead, -3) };
    case "under_way":
      // Three days from today on both sides, so that the tour is under way in every time zone.
      return { departureDate: addDays(today, -3), returnDate: addDays(today, 3) };
    case "ended":
    case "completed":
    case "archived":
      return { departureDate: past, returnDate: addDays(past, days - 1) };
    default:
      return { departureDate: ahead, returnDate: addDays(ahead, days - 1) };
  }
}

function stateOf(situation: SampleSituation): SampleProgram["state"] {
  switch (situation) {
    case "draft":
    case "cancelled":
    case "completed":
    case "archived":
      return situation;
    default:
      return "active";
  }
}

function capacityOf(situation: SampleSituation, random: SampleRandom): number {
  switch (situation) {
    case "sold_out":
      return 10;
    case "overbooked":
      return 8;
    case "last_places":
      return 13;
    default:
      return random.integer(16, 48);
  }
}

/** Adds days to a calendar date (`YYYY-MM-DD`), without any time zone. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/**
 * The special cases that programs show. A company's first 24 programs have one each, so that the default sample has every case.
 * Further programs start the list again.
 */
export const sampleSituations = [
  "ordinary",
  "sold_out",
  "overbooked",
  "draft",
  "ordinary",
  "cancelled",
  "no_dates",
  "completed",
  "legacy_price_only",
  "archived",
  "under_way",
  "ended",
  "return_before_departure",
  "ordinary",
  "no_prices",
  "all_enrollments_terminal",
  "many_staff_enrolled",
  "ordinary",
  "no_marketing",
  "one_day",
  "no_return_date",
  "price_on_request",
  "no_capacity",
  "last_places",
] as const;

type SampleSituation = (typeof sampleSituations)[number];
