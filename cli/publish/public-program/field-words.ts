/*
 * Words for fields and values, for people who do not read JSON (P51).
 */

/**
 * Words for fields, by path, with `[]` for any place in a list; in the words, `#` stands for that place, counted from 1. Fields of the
 * source that findings name (`staff[]`) are here, too.
 */
const fieldWords: Readonly<Record<string, string>> = {
  id: "Id",
  name: "Name",
  status: "Status",
  departureDate: "Departure",
  returnDate: "Return",
  durationDays: "Days",
  duration: "Duration",
  "duration.days": "Duration in days",
  "duration.nights": "Duration in nights",
  capacity: "Places",
  "capacity.total": "Places in all",
  "capacity.used": "Places taken",
  "capacity.remaining": "Places left",
  currency: "Currency",
  category: "Category",
  "category.type": "Category",
  "category.subtype": "Subcategory",
  guide: "Guide",
  "guide.name": "Guide",
  prices: "Prices",
  "prices.startingAmount": "Price from",
  "prices.rooms": "Room prices",
  "prices.rooms[]": "Room price #",
  "prices.rooms[].amount": "Room price #",
  "prices.children": "Child prices",
  "prices.children[]": "Child price #",
  "prices.children[].amount": "Child price #",
  description: "Description",
  departurePoint: "Departure point",
  hotels: "Hotels",
  "hotels[]": "Hotel #",
  marketingTags: "Labels",
  "marketingTags[]": "Label #",
  staff: "Staff",
  "staff[]": "Staff #",
  "staff.leadGuide": "Lead guide",
  "staff.leadGuide.name": "Lead guide",
  "staff.teachers": "Teachers",
  "staff.teachers[]": "Teacher #",
  accommodation: "Accommodation",
  "accommodation.stays[]": "Accommodation, hotel #",
  transport: "Airlines",
  "transport.flights": "Airlines",
  "transport.flights[]": "Airline #",
  "transport.flights[].airline": "Airline #",
  media: "Pictures",
  "media.coverUrl": "Cover picture",
  "media.galleryUrls": "Gallery",
  "media.galleryUrls[]": "Gallery picture #",
  content: "Texts",
  "content.included": "Included",
  "content.included[]": "Included #",
  "content.excluded": "Not included",
  "content.excluded[]": "Not included #",
  "content.visits": "Visits",
  "content.visits[]": "Visit #",
  "content.accommodationDescription": "Text about the accommodation",
  "content.faq": "Questions and answers",
  "content.faq[]": "Question #",
  "content.faq[].question": "Question #",
  "content.faq[].answer": "Answer #",
  "content.itinerary": "Itinerary",
  "content.itinerary[]": "Itinerary #",
};

/** Words for other fields within those: `hotels[].checkIn` is "Hotel #, arrival". */
const partWords: Readonly<Record<string, string>> = {
  name: "name",
  location: "place",
  checkIn: "arrival",
  checkOut: "departure",
  starLevel: "stars",
  role: "role",
  gender: "gender",
  roleLabel: "role",
  occupancy: "persons",
  minAge: "from age",
  maxAge: "to age",
  code: "code",
  logoUrl: "logo",
  title: "title",
  stays: "hotels",
  description: "text",
};

/** The words for a path like `prices.rooms[0].amount`, or the path itself when there are none. */
export function fieldLabel(path: string): string {
  const places = [...path.matchAll(/\[(\d+)\]/g)].map(([, place]) => String(Number(place) + 1));
  return wordsOf(fieldPattern(path))?.replaceAll("#", () => places.shift() ?? "") ?? path;
}

function wordsOf(pattern: string): string | undefined {
  const end = pattern.lastIndexOf(".");
  const words = fieldWords[pattern];
  if (words !== undefined || end === -1) return words;
  const [around, part] = [wordsOf(pattern.slice(0, end)), partWords[pattern.slice(end + 1)]];
  return around === undefined || part === undefined ? undefined : `${around}, ${part}`;
}

/** The path with `[]` for each place in a list. */
export function fieldPattern(path: string): string {
  return path.replaceAll(/\[\d+\]/g, "[]");
}

/** A published value in words: an amount with its currency, a day, a list. Texts are in quotes. */
export function valueWords(path: string, value: unknown, currency: string | null): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) {
    const words = value.map((element, at) => valueWords(`${path}[${at}]`, element, currency));
    return words.length === 0 ? "none" : words.join(", ");
  }
  if (typeof value === "object") return objectWords(path, value, currency);
  if (typeof value === "number") {
    return amountFields.has(fieldPattern(path)) ? money(value, currency) : String(value);
  }
  if (typeof value !== "string") return JSON.stringify(value) ?? "nothing";
  return dateFields.test(path) ? calendarDay(value) : JSON.stringify(value);
}

/** An amount with its currency, if that is known: `1,160.00 EUR`. */
export function money(amount: number, currency: string | null): string {
  const text = amount.toLocaleString("en", {
    minimumFractionDigits: minorDigits(currency),
    maximumFractionDigits: 20,
  });
  return currency === null ? text : `${text} ${currency}`;
}

/** `1 April 2027`, in any time zone of the machine. A text that is no calendar date stays as it is. */
export function calendarDay(date: string): string {
  const at = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(at.getTime())) return date;
  return at.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
}

function objectWords(path: string, value: object, currency: string | null): string {
  const parts = Object.entries(value).flatMap(([name, part]) => {
    if (part === null || (Array.isArray(part) && part.length === 0)) return [];
    const at = `${path}.${name}`;
    const label = fieldLabel(at);
    const own = label.slice(label.lastIndexOf(", ") + 1).trim();
    return [`${own}: ${valueWords(at, part, currency)}`];
  });
  return parts.length === 0 ? "nothing" : parts.join("; ");
}

/** How many decimals the currency has: none for yen, two when the code is unknown. */
function minorDigits(currency: string | null): number {
  if (currency === null || !/^[A-Za-z]{3}$/.test(currency)) return 2;
  const { minimumFractionDigits = 2 } = new Intl.NumberFormat("en", {
    style: "currency",
    currency,
  }).resolvedOptions();
  return minimumFractionDigits;
}

const amountFields: ReadonlySet<string> = new Set([
  "prices.startingAmount",
  "prices.rooms[].amount",
  "prices.children[].amount",
]);
const dateFields = /(^|\.)(departureDate|returnDate|checkIn|checkOut)$/;
