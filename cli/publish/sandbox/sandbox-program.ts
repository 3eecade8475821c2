import type { ProgramSource, ProgramWithId } from "../public-program/program-source.ts";

/** A usual program of 20 places with room and child prices, changed by `own`. */
export function sandboxProgram(programId: string, own: Partial<ProgramSource>): ProgramWithId {
  return bareProgram(programId, { ...usual, ...own });
}

/** A program of which only `own` is known. */
export function bareProgram(programId: string, own: Partial<ProgramSource>): ProgramWithId {
  return { ...nothing, ...own, programId };
}

const nothing: Omit<ProgramSource, "programId"> = {
  name: null,
  lifecycleState: "active",
  departureDate: null,
  returnDate: null,
  capacityTotal: null,
  currency: null,
  categoryType: null,
  categorySubtype: null,
  guideName: null,
  legacyPrice: null,
  description: null,
  departurePoint: null,
  marketingTags: null,
  accommodationDescription: null,
  coverUrl: null,
  galleryUrls: null,
  included: null,
  excluded: null,
  visits: null,
  roomPrices: [],
  childPrices: [],
  hotelStays: [],
  enrollments: [],
  staff: [],
  flights: [],
  itinerary: [],
  faq: [],
  oversize: null,
};

const usual: Partial<ProgramSource> = {
  departureDate: "2031-05-03",
  returnDate: "2031-05-10",
  capacityTotal: 20,
  currency: "EUR",
  categoryType: "Culture",
  description: "A program for tests. Nobody travels.",
  roomPrices: [
    [1, "1690.00"],
    [2, "1290.00"],
  ],
  childPrices: [[2, 11, "890.00"]],
  enrollments: [["passenger", "confirmed", 7]],
};
