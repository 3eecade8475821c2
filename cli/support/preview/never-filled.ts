import { publicFields } from "../../../schemas/generated/public-fields.ts";
import { type ProblemPlace, problemPlace } from "../../operate/source-check/problem-place.ts";

/** A public field that no document has a value for, and the column that it comes from. */
export interface EmptyField extends ProblemPlace {
  /** The field's path from the program: `prices.rooms[].amount`. */
  readonly field: string;
}

/** Gathers which of the published fields have a value in at least one document. */
export class FilledFields {
  readonly #filled = new Set<string>();

  /** `value`: the `data` of a detail response, or a part of it at this path. */
  add(value: unknown, path = ""): void {
    if (value === null || value === "") return;
    if (Array.isArray(value)) {
      for (const element of value) this.add(element, `${path}[]`);
      if (value.length === 0) return;
    } else if (typeof value === "object") {
      for (const [name, part] of Object.entries(value))
        this.add(part, path === "" ? name : `${path}.${name}`);
    }
    this.#filled.add(path);
  }

  /** The fields that are empty everywhere, in the order of the wire. An empty list or object is named without its fields. */
  neverFilled(): readonly EmptyField[] {
    const empty: string[] = [];
    for (const path of publicFields) {
      const isInside = empty.some((outer) => path.startsWith(`${outer}.`) || path.startsWith(`${outer}[]`));
      if (!isInside && !this.#filled.has(path)) empty.push(path);
    }
    return empty.map((field) => ({ field, ...problemPlace(sources[field] ?? field) }));
  }
}

/** For public fields that are made of several source fields: the first source field that they need. */
const sources: Readonly<Record<string, string>> = {
  status: "lifecycle_state",
  category: "category.type",
  guide: "guide.name",
  staff: "staff[]",
  accommodation: "hotels[]",
  transport: "transport.flights[]",
  media: "media.coverUrl",
  durationDays: "returnDate",
  duration: "returnDate",
  "prices.startingAmount": "prices.rooms[].amount",
  "staff.leadGuide": "staff[]",
  "staff.teachers": "staff[]",
  "staff.teachers[].gender": "staff[].gender",
  "staff.teachers[].roleLabel": "staff[].roleLabel",
  "accommodation.stays": "hotels[]",
  "accommodation.stays[].name": "hotels[].name",
  "accommodation.stays[].location": "hotels[].location",
  "accommodation.stays[].checkIn": "hotels[].checkIn",
  "accommodation.stays[].checkOut": "hotels[].checkOut",
  "accommodation.stays[].starLevel": "hotels[].starLevel",
  "accommodation.description": "content.accommodationDescription",
  hotels: "hotels[]",
  "prices.rooms": "prices.rooms[]",
  "prices.children": "prices.children[]",
  "transport.flights": "transport.flights[]",
  "content.faq": "content.faq[]",
  "content.itinerary": "content.itinerary[]",
};
