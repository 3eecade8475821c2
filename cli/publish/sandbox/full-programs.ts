import type { ProgramWithId } from "../public-program/program-source.ts";
import { sandboxProgram } from "./sandbox-program.ts";

/** A program in which every field of the API has a value. */
export const everything: ProgramWithId = {
  programId: "everything",
  name: "Lisbon and the Douro Valley",
  lifecycleState: "active",
  departureDate: "2031-05-08",
  returnDate: "2031-05-15",
  capacityTotal: 32,
  currency: "EUR",
  categoryType: "Culture",
  categorySubtype: "Food and landscape",
  guideName: "Inês Carvalho",
  legacyPrice: null,
  description: "Four days among the tiled hills of Lisbon, then up the Douro by train to the vineyards.",
  departurePoint: "Munich Airport, Terminal 2",
  marketingTags: ["Small group", "By train"],
  accommodationDescription: "A town house with a roof terrace, then a working wine estate on the river.",
  coverUrl: "https://cdn.example.com/programs/lisbon-douro/cover.jpg",
  galleryUrls: [
    "https://cdn.example.com/programs/lisbon-douro/alfama.jpg",
    "https://cdn.example.com/programs/lisbon-douro/pinhao-station.jpg",
  ],
  included: ["Flights from Munich", "7 nights with breakfast", "Train along the Douro"],
  excluded: ["Travel insurance", "Lunches, except on the last day"],
  visits: ["Jerónimos Monastery", "National Tile Museum", "Pinhão"],
  roomPrices: [
    [1, "1690.00"],
    [2, "1290.00"],
    [3, "1240.50"],
  ],
  childPrices: [
    [0, 1, "0"],
    [2, 11, "890.00"],
  ],
  hotelStays: [
    ["Casa do Miradouro", "Lisbon, Graça", "2031-05-08", "2031-05-12", 4],
    ["Quinta da Ribeira", "Pinhão", "2031-05-12", "2031-05-15", 5],
  ],
  enrollments: [
    ["passenger", "confirmed", 21],
    ["passenger", "cancelled", 2],
    ["staff", "confirmed", 2],
  ],
  staff: [
    ["lead_guide", "Inês Carvalho", "female", null],
    ["teacher", "Dr. Matthias Roth", "male", "Art history"],
    ["teacher", "Sofia Marques", "female", "Wine"],
  ],
  flights: [
    ["LH", "https://cdn.example.com/airlines/lh.svg"],
    ["TP", "https://cdn.example.com/airlines/tp.svg"],
  ],
  itinerary: [
    ["Arrival and the Alfama at dusk", "Dinner together near the cathedral."],
    ["Belém", "The monastery in the morning, the river in the afternoon."],
    ["By train to Pinhão", "Along the Douro, then a walk through the terraces."],
  ],
  faq: [
    ["How much walking is there?", "Two to three hours a day in Lisbon, on steep and cobbled streets."],
    ["May children come?", "Yes; up to two years they travel free."],
  ],
  oversize: null,
};

/**
 * Arabic texts with Latin names and digits. A partner's page has to isolate each text and take its direction from its content.
 */
export const rightToLeft = sandboxProgram("right-to-left", {
  name: "الأندلس: غرناطة وقرطبة وإشبيلية",
  departureDate: "2031-10-03",
  returnDate: "2031-10-09",
  capacityTotal: 40,
  currency: "AED",
  categoryType: "ثقافة وتاريخ",
  guideName: "د. ليلى منصور",
  description: "سبعة أيام بين قصر الحمراء والمسجد الجامع في قرطبة وحدائق إشبيلية، مع محاضرة قصيرة كل مساء.",
  departurePoint: "مطار دبي الدولي، المبنى رقم 3",
  marketingTags: ["عائلات"],
  included: ["تذاكر الطيران", "الإقامة مع الإفطار", "تذاكر دخول قصر الحمراء"],
  excluded: ["رسوم التأشيرة"],
  visits: ["قصر الحمراء", "المسجد الجامع في قرطبة", "برج الذهب"],
  roomPrices: [
    [1, "8200"],
    [2, "6450"],
  ],
  childPrices: [[2, 11, "4900"]],
  hotelStays: [
    ["Hotel Puerta de Elvira", "غرناطة", "2031-10-03", "2031-10-06", 4],
    [null, "إشبيلية", "2031-10-06", "2031-10-09", 5],
  ],
  staff: [["teacher", "يوسف بن صالح", null, "تاريخ الأندلس"]],
  flights: [["EK", null]],
  itinerary: [["الوصول إلى غرناطة", "جولة مسائية في حي البيازين."]],
  faq: [["هل الوجبات حلال؟", "نعم، جميع الوجبات المشمولة في البرنامج حلال."]],
});
