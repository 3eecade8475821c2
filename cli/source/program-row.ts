import { lifecycle } from "../public-program/lifecycle.ts";
import type {
  ChildPriceRow,
  EnrollmentRow,
  FaqRow,
  FlightRow,
  HotelStayRow,
  ItineraryRow,
  ProgramSource,
  RoomPriceRow,
  StaffRow,
} from "../public-program/program-source.ts";
import { shownOversize } from "./oversize.ts";
import type { ChildName } from "./source-columns.ts";
import type { Oversize } from "./source-limits.ts";
import { byPosition } from "./tuple-order.ts";

/**
 * A row of `programsQuery`, all columns as text, and the program's children as JSON. The casts state what the queries select,
 * in their order; the values stay untrusted and are judged by the mapping. The children of a program that is not
 * published are not even parsed: nobody looks at them. `oversize`: why not all of it has come.
 */
export function programSource(
  row: readonly (string | null)[],
  jsonOf: (child: ChildName) => string,
  oversize?: Oversize,
): ProgramSource {
  const text = (column: ProgramColumn): string | null => row[columns[column]] ?? null;
  const list = (column: ProgramColumn): (string | null)[] | null => JSON.parse(text(column) ?? "null");
  const isPublished = lifecycle(text("lifecycle_state")).kind === "publishable";
  const tuplesOf = (child: ChildName): unknown[][] => {
    const json = jsonOf(child);
    return isPublished ? JSON.parse(json) : [];
  };
  const capacityTotal = text("capacity_total");
  return {
    programId: text("program_id") ?? "",
    name: text("name"),
    lifecycleState: text("lifecycle_state"),
    departureDate: text("departure_date"),
    returnDate: text("return_date"),
    capacityTotal: capacityTotal === null ? null : Number(capacityTotal),
    currency: text("currency"),
    categoryType: text("category_type"),
    categorySubtype: text("category_subtype"),
    guideName: text("guide_name"),
    legacyPrice: text("legacy_price"),
    description: text("description"),
    departurePoint: text("departure_point"),
    marketingTags: list("marketing_tags"),
    accommodationDescription: text("accommodation_description"),
    coverUrl: text("cover_url"),
    galleryUrls: list("gallery_urls"),
    included: list("included"),
    excluded: list("excluded"),
    visits: list("visits"),
    roomPrices: tuplesOf("roomPrices") as unknown as RoomPriceRow[],
    childPrices: tuplesOf("childPrices") as unknown as ChildPriceRow[],
    hotelStays: byPosition(tuplesOf("hotelStays")) as unknown as HotelStayRow[],
    enrollments: tuplesOf("enrollments") as unknown as EnrollmentRow[],
    staff: byPosition(tuplesOf("staff")) as unknown as StaffRow[],
    flights: byPosition(tuplesOf("flights")) as unknown as FlightRow[],
    itinerary: byPosition(tuplesOf("itinerary")) as unknown as ItineraryRow[],
    faq: byPosition(tuplesOf("faq")) as unknown as FaqRow[],
    oversize: oversize === undefined ? null : shownOversize(oversize),
  };
}

/** The position of each column in `programsQuery`. */
const columns = {
  program_id: 0,
  tenant_id: 1,
  name: 2,
  lifecycle_state: 3,
  departure_date: 4,
  return_date: 5,
  capacity_total: 6,
  currency: 7,
  category_type: 8,
  category_subtype: 9,
  guide_name: 10,
  legacy_price: 11,
  description: 12,
  departure_point: 13,
  marketing_tags: 14,
  accommodation_description: 15,
  cover_url: 16,
  gallery_urls: 17,
  included: 18,
  excluded: 19,
  visits: 20,
} as const;

type ProgramColumn = keyof typeof columns;
