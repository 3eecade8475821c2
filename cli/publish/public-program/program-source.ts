/**
 * One program as the source views give it: untrusted values, but only those of the contract's columns. Dates are
 * text in ISO form (also `infinity` and years beyond 9999), amounts are decimal text, so that nothing is lost or
 * shifted on the way.
 */
export interface ProgramSource {
  /** `null` for NULL (D131). */
  readonly programId: string | null;
  readonly name: string | null;
  readonly lifecycleState: string | null;
  readonly departureDate: string | null;
  readonly returnDate: string | null;
  /** As text where a JavaScript number would round it. */
  readonly capacityTotal: number | string | null;
  readonly currency: string | null;
  readonly categoryType: string | null;
  readonly categorySubtype: string | null;
  readonly guideName: string | null;
  readonly legacyPrice: string | null;
  readonly description: string | null;
  readonly departurePoint: string | null;
  readonly marketingTags: readonly (string | null)[] | null;
  readonly accommodationDescription: string | null;
  readonly coverUrl: string | null;
  readonly galleryUrls: readonly (string | null)[] | null;
  readonly included: readonly (string | null)[] | null;
  readonly excluded: readonly (string | null)[] | null;
  readonly visits: readonly (string | null)[] | null;
  readonly roomPrices: readonly RoomPriceRow[];
  readonly childPrices: readonly ChildPriceRow[];
  readonly hotelStays: readonly HotelStayRow[];
  readonly enrollments: readonly EnrollmentRow[];
  readonly staff: readonly StaffRow[];
  readonly flights: readonly FlightRow[];
  readonly itinerary: readonly ItineraryRow[];
  readonly faq: readonly FaqRow[];
  /** Why some of it is missing: a value, or all of it, is larger than the limits allow. */
  readonly oversize: SourceOversize | null;
}

/** Something of a program that is too large to be read. */
export interface SourceOversize {
  readonly code: "value_too_large" | "program_too_large";
  /** Where it is in the source; the column is `null` when it is all that the view has of the program. */
  readonly view: string;
  readonly column: string | null;
  /** The public field that it would have become, or `null` for the whole. */
  readonly field: string | null;
  /** What it is in the source, its size and the limit. */
  readonly text: string;
}

/** The rows of the child views are tuples, in the order of the contract's columns. */
export type RoomPriceRow = readonly [occupancy: number | null, amount: string | null];
export type ChildPriceRow = readonly [minAge: number | null, maxAge: number | null, amount: string | null];
export type HotelStayRow = readonly [
  name: string | null,
  location: string | null,
  checkIn: string | null,
  checkOut: string | null,
  starLevel: number | null,
];
/** Enrollments come counted: a program may have thousands. */
export type EnrollmentRow = readonly [role: string | null, status: string | null, count: number];
export type StaffRow = readonly [
  role: string | null,
  name: string | null,
  gender: string | null,
  roleLabel: string | null,
];
export type FlightRow = readonly [airlineCode: string | null, logoUrl: string | null];
export type ItineraryRow = readonly [title: string | null, description: string | null];
export type FaqRow = readonly [question: string | null, answer: string | null];

/** A program that surely has an id. */
export interface ProgramWithId extends ProgramSource {
  readonly programId: string;
}
