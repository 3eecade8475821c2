import { amount, atLeastOne, count, integer, list, object, oneOf, orNull, type Shape } from "./shapes.ts";
import { calendarDate, currency, programId, requestId, text } from "./text-shapes.ts";

const httpsUrl: Shape = {
  types: ["string"],
  fits: [
    "https://a.example",
    "HTTPS://a.example/@x",
    "https://a.example:8443/x?y#z",
    "https://[2001:db8::1]/%C3%BC?a=b&c#!$'()*+,;:@",
  ],
  not: [
    ...["http://a.example/x", "//a.example/x", "https:a.example", "https://", "https:///x", "ftp://a", ""],
    ...["https://user@a.example/", "https://u:p@a.example/", "https://a.example\\@b", "https://a b/"],
    ...["https://a.example/ü", "https://ü.example/", "https://a.example/a[1]", "https://a.example/{id}"],
    ...["https://a.example/%zz", "https://a.example/#a#b", "https://[::1", "xhttps://a.example/"],
    "https://a.example/\n",
  ],
};

const capacity = object({ total: count, used: count, remaining: count });
const stay = object({
  name: orNull(text),
  location: orNull(text),
  checkIn: orNull(calendarDate),
  checkOut: orNull(calendarDate),
  starLevel: orNull(integer(1, 5)),
});
const named = object({ name: text });

const listFields = {
  id: programId,
  name: text,
  status: oneOf("active"),
  departureDate: orNull(calendarDate),
  returnDate: orNull(calendarDate),
  durationDays: orNull(atLeastOne),
  duration: orNull(object({ days: atLeastOne, nights: count })),
  capacity,
  currency: orNull(currency),
  category: orNull(object({ type: orNull(text), subtype: orNull(text) })),
  guide: orNull(named),
  prices: object({
    startingAmount: orNull(amount("above 0")),
    rooms: list(object({ occupancy: atLeastOne, amount: amount("above 0") })),
    children: list(object({ minAge: count, maxAge: count, amount: amount("0") })),
  }),
};

export const detailShape = object({
  data: object({
    ...listFields,
    description: orNull(text),
    departurePoint: orNull(text),
    hotels: list(stay),
    marketingTags: orNull(list(text)),
    staff: orNull(
      object({
        leadGuide: orNull(named),
        teachers: list(
          object({ name: text, gender: orNull(oneOf("male", "female")), roleLabel: orNull(text) }),
        ),
      }),
    ),
    accommodation: orNull(object({ stays: list(stay), description: orNull(text) })),
    transport: orNull(
      object({ flights: list(object({ airline: object({ code: text, logoUrl: orNull(httpsUrl) }) })) }),
    ),
    media: orNull(object({ coverUrl: orNull(httpsUrl), galleryUrls: list(httpsUrl) })),
    content: orNull(
      object({
        included: list(text),
        excluded: list(text),
        visits: list(text),
        accommodationDescription: orNull(text),
        faq: list(object({ question: text, answer: text })),
        itinerary: list(object({ title: text, description: orNull(text) })),
      }),
    ),
  }),
});

export const listItemShape = object(listFields);
export const listShape = object({ data: list(listItemShape), meta: object({ count }) });

export const legacyShape = object({
  success: oneOf(true),
  programs: list(
    object({
      name: text,
      capacity: { ...capacity, types: ["object", "number"], fits: [0, 32], not: [-1, 1.5] },
    }),
  ),
});

/** `published-rules.test.ts` pairs the codes with their messages. */
export const errorShape = object({
  error: object({
    code: { ...oneOf("not_found"), fits: [] },
    message: { ...oneOf("Resource not found"), fits: [] },
  }),
  requestId,
});
