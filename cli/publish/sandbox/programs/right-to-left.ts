import { sandboxProgram } from "./sandbox-program.ts";

/** Arabic, with Latin names and digits in it: pages have to isolate each text and take its direction from its content. */
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
