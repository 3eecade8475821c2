/** Words for a field, for people who do not read JSON: `hotels[0].checkIn` is "Hotels 1, check in". */
export function fieldLabel(path: string): string {
  const words = path
    .replace(/\[(\d+)\]/g, (_, place) => ` ${Number(place) + 1}`)
    .replaceAll(".", ", ")
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The label of a part without that of the whole: `Hotel 1, name` is `name`. */
export function ownLabel(path: string): string {
  const label = fieldLabel(path);
  return label.slice(label.lastIndexOf(", ") + 1).trim();
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
    return amountFields.test(path) ? money(value, currency) : String(value);
  }
  if (typeof value !== "string") return JSON.stringify(value) ?? "nothing";
  return dateFields.test(path) ? calendarDay(value) : JSON.stringify(value);
}

/** An amount with its currency, if that is known: `1,160.00 EUR`. */
export function money(amount: number, currency: string | null): string {
  const minimumFractionDigits = minorDigits(currency);
  const text = amount.toLocaleString("en", { minimumFractionDigits, maximumFractionDigits: 20 });
  return currency === null ? text : `${text} ${currency}`;
}

/** `1 April 2027`, in any time zone of the machine. A text that is no calendar date stays as it is. */
function calendarDay(date: string): string {
  const at = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(at.getTime())) return date;
  return at.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
}

function objectWords(path: string, value: object, currency: string | null): string {
  const parts = Object.entries(value).flatMap(([name, part]) => {
    if (part === null || (Array.isArray(part) && part.length === 0)) return [];
    const at = `${path}.${name}`;
    return [`${ownLabel(at)}: ${valueWords(at, part, currency)}`];
  });
  return parts.length === 0 ? "nothing" : parts.join("; ");
}

/** How many decimals the currency has: none for yen, two when the code is unknown. */
function minorDigits(currency: string | null): number {
  if (currency === null || !/^[A-Za-z]{3}$/.test(currency)) return 2;
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return format.resolvedOptions().minimumFractionDigits ?? 2;
}

const amountFields = /^prices\.(startingAmount|(rooms|children)\[\d+\]\.amount)$/;
const dateFields = /(^|\.)(departureDate|returnDate|checkIn|checkOut)$/;
