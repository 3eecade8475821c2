/**
 * One program as the source views give it. The values are untrusted, and come from the contract's columns only. Dates are text
 * in ISO form, `infinity` and years after 9999 among them, and amounts are decimal text, so that none is shifted or rounded.
 */
export interface ProgramSource {
  /** `null` when the source has NULL (D131). */
  readonly programId: string | null;
  readonly name: string | null;
  readonly lifecycleState: string | null;
  readonly departureDate: string | null;
  readonly returnDate: string | null;
  /** A text when a JavaScript number would round it. */
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
  /** The value that was too large to be read; `null` when there is none. */
  readonly oversize: SourceOversize | null;
}

/** A value or a whole program that is too large to be read. */
export interface SourceOversize {
  readonly code: "value_too_large" | "program_too_large";
  /** `null` when all rows of the view together are too large. */
  readonly view: string;
  readonly column: string | null;
  /** The public field that the value would have become; `null` for the whole program. */
  readonly field: string | null;
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
/** Enrollments are counted by the database, since a program may have thousands. */
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

/** A program whose id is not NULL. */
export interface ProgramWithId extends ProgramSource {
  readonly programId: string;
}
