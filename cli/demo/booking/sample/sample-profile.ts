/** A tour that a company offers again and again. */
export interface SampleTour {
  readonly name: string;
  readonly type: string;
  readonly subtype: string | null;
  readonly days: number;
  /** Per person in a double room, in the company's currency. */
  readonly price: number;
  /** Positions in the company's list of hotels, in the order of the stays. */
  readonly hotels: readonly number[];
  readonly visits: readonly string[];
  readonly description: string;
  readonly tags: readonly string[];
}

export interface SampleHotel {
  readonly name: string;
  readonly city: string | null;
  readonly country: string | null;
  readonly stars: number | null;
}

export interface SampleGuide {
  readonly name: string;
  readonly gender: "female" | "male" | "undisclosed" | null;
}

/** The words and numbers that give one company's sample data its character. `{city}` stands for a city. */
export interface SampleProfile {
  readonly code: string;
  readonly name: string;
  /** The first part of its programs' codes. */
  readonly programPrefix: string;
  readonly timeZone: string;
  readonly currency: string;
  /** Public prices are multiples of this. */
  readonly priceStep: number;
  readonly departurePoints: readonly string[];
  readonly airlines: readonly string[];
  readonly hotels: readonly SampleHotel[];
  readonly guides: readonly SampleGuide[];
  readonly givenNames: readonly string[];
  readonly familyNames: readonly string[];
  readonly isFamilyNameFirst: boolean;
  readonly roomLabels: Readonly<Record<"single" | "double" | "triple" | "quad", string>>;
  readonly dutyLabels: Readonly<Record<"lead_guide" | "teacher" | "driver" | "coordinator", string>>;
  /** An ending for the names of tours; a new one each time the list of tours starts again. */
  readonly editions: readonly string[];
  readonly arrival: string;
  readonly farewell: string;
  /** Descriptions of the days between arrival and farewell. */
  readonly dayDescriptions: readonly string[];
  readonly accommodation: string;
  readonly included: readonly string[];
  readonly excluded: readonly string[];
  readonly faq: readonly (readonly [question: string, answer: string])[];
  readonly tours: readonly SampleTour[];
}
