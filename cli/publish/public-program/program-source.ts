/**
 * One program as the source views give it. The values are untrusted, of the contract's columns. Dates are ISO
 * text, `infinity` and years after 9999 among them, and amounts decimal text: none is shifted or rounded.
 */
export interface ProgramSource {
  /** `null` when the source has NULL (D130). */
  readonly programId: Text;
  readonly name: Text;
  readonly lifecycleState: Text;
  readonly departureDate: Text;
  readonly returnDate: Text;
  /** A text when a JavaScript number would round it. */
  readonly capacityTotal: number | Text;
  readonly currency: Text;
  readonly categoryType: Text;
  readonly categorySubtype: Text;
  readonly guideName: Text;
  readonly legacyPrice: Text;
  readonly description: Text;
  readonly departurePoint: Text;
  readonly marketingTags: readonly Text[] | null;
  readonly accommodationDescription: Text;
  readonly coverUrl: Text;
  readonly galleryUrls: readonly Text[] | null;
  readonly included: readonly Text[] | null;
  readonly excluded: readonly Text[] | null;
  readonly visits: readonly Text[] | null;
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
  readonly column: Text;
  /** The public field that the value would have become; `null` for the whole program. */
  readonly field: Text;
  readonly text: string;
}

type Text = string | null;
type Int = number | null;

/** The rows of the child views are tuples, in the order of the contract's columns. */
export type RoomPriceRow = readonly [occupancy: Int, amount: Text];
export type ChildPriceRow = readonly [minAge: Int, maxAge: Int, amount: Text];
export type HotelStayRow = readonly [name: Text, location: Text, checkIn: Text, checkOut: Text, stars: Int];
/** Enrollments are counted by the database, since a program may have thousands. */
export type EnrollmentRow = readonly [role: Text, status: Text, count: number];
export type StaffRow = readonly [role: Text, name: Text, gender: Text, roleLabel: Text];
export type FlightRow = readonly [airlineCode: Text, logoUrl: Text];
export type ItineraryRow = readonly [title: Text, description: Text];
export type FaqRow = readonly [question: Text, answer: Text];

const unpublishedStates = ["draft", "cancelled", "completed", "archived", "ended"] as const;

export type Lifecycle =
  | { readonly kind: "publishable" }
  | { readonly kind: "unpublished"; readonly state: (typeof unpublishedStates)[number] }
  /** Any other state breaks the source contract (D3). */
  | { readonly kind: "unknown" };

/** The lifecycle state alone decides whether a program is published (D1). Its case does not matter (D33). */
export function lifecycle(state: string | null): Lifecycle {
  const known = state?.toLowerCase();
  if (known === "active") return { kind: "publishable" };
  const unpublished = unpublishedStates.find((candidate) => candidate === known);
  return unpublished === undefined ? { kind: "unknown" } : { kind: "unpublished", state: unpublished };
}
