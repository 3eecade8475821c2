import { printable, shortened } from "../../core/ground/printable.ts";
import { displayWidth, type Layout } from "./layout.ts";

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

/** One difference between two JSON documents, at a path like `prices.rooms[0].amount`. */
export type JsonChange =
  | { readonly kind: "added"; readonly path: string; readonly after: unknown }
  | { readonly kind: "removed"; readonly path: string; readonly before: unknown }
  | { readonly kind: "changed"; readonly path: string; readonly before: unknown; readonly after: unknown };

/** A change of a program, and the same in words; `null`: there is none on that side. */
export type ProgramChange = JsonChange & {
  readonly words: { readonly label: string; readonly before: string | null; readonly after: string | null };
};

/** What turns one version of a program into the other, in the order of the fields. */
export function programChanges(before: unknown, after: unknown): ProgramChange[] {
  return jsonChanges(before, after).map((change) => {
    const { path, kind } = change;
    const words = {
      label: priceLabel(path, kind === "removed" ? before : after) ?? fieldLabel(path),
      before: kind === "added" ? null : shownValue(path, change.before, before),
      after: kind === "removed" ? null : shownValue(path, change.after, after),
    };
    return { ...change, words };
  });
}

/** A whole price is shown as its amount: whose price it is, the label says. */
function shownValue(path: string, value: unknown, document: unknown): string {
  const currency = at(document, ["currency"]);
  const isPrice = /^prices\.(rooms|children)\[\d+\]$/.test(path);
  const [own, shown] = isPrice ? [`${path}.amount`, at(value, ["amount"])] : [path, value];
  return valueWords(own, shown, typeof currency === "string" ? currency : null);
}

/** Prices are known by whom they are for, not by their place in the list. */
function priceLabel(path: string, document: unknown): string | undefined {
  const [, list, place = ""] = /^prices\.(rooms|children)\[(\d+)\](?:\.amount)?$/.exec(path) ?? [];
  if (list === undefined) return undefined;
  const price = (name: string): string => String(at(document, ["prices", list, place, name]));
  if (list === "rooms") return `Room for ${price("occupancy")}`;
  return `Child of ${price("minAge")} to ${price("maxAge")} years`;
}

function at(value: unknown, names: readonly string[]): unknown {
  let found = value;
  for (const name of names) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    found = Reflect.get(found, name);
  }
  return found;
}

/**
 * The changes from one document to the other, in the order of the fields. What two arrays share at their
 * beginning and end is passed over, so that a new element in front is one addition and not a change of all
 * others. Indices of removed elements count in the old array, all others in the new one.
 */
export function jsonChanges(before: unknown, after: unknown, path = ""): JsonChange[] {
  if (before === after || text(before) === text(after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return arrayChanges(before, after, path);
  if (isRecord(before) && isRecord(after)) return recordChanges(before, after, path);
  return [{ kind: "changed", path, before, after }];
}

type JsonRecord = Readonly<Record<string, unknown>>;

function recordChanges(before: JsonRecord, after: JsonRecord, path: string): JsonChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name): JsonChange[] => {
    const at = path === "" ? name : `${path}.${name}`;
    if (!Object.hasOwn(before, name)) return [{ kind: "added", path: at, after: after[name] }];
    if (!Object.hasOwn(after, name)) return [{ kind: "removed", path: at, before: before[name] }];
    return jsonChanges(before[name], after[name], at);
  });
}

/** Between the shared ends, elements at the same place were changed, and the surplus removed or added. */
function arrayChanges(before: readonly unknown[], after: readonly unknown[], path: string): JsonChange[] {
  const [old, young] = [before.map(text), after.map(text)];
  const shorter = Math.min(old.length, young.length);
  let start = 0;
  while (start < shorter && old[start] === young[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === young.at(-1 - end)) end += 1;
  const changes: JsonChange[] = [];
  for (let at = start; at < Math.max(old.length, young.length) - end; at += 1) {
    const place = `${path}[${at}]`;
    if (at >= young.length - end) changes.push({ kind: "removed", path: place, before: before[at] });
    else if (at >= old.length - end) changes.push({ kind: "added", path: place, after: after[at] });
    else for (const change of jsonChanges(before[at], after[at], place)) changes.push(change);
  }
  return changes;
}

/** Keys come in a fixed order in all stored documents, so equal values have equal texts. */
function text(value: unknown): string {
  return JSON.stringify(value) ?? "undefined";
}

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** One change on one line if it fits, else the old and the new value below each other. */
export function changeLines({ words }: ProgramChange, { style, width }: Layout): string[] {
  const label = printable(words.label);
  const { before, after } = words;
  if (before === null) return [`    ${label}: ${style.good(`+ ${shown(after)}`)}`];
  if (after === null) return [`    ${label}: ${style.bad(`- ${shown(before)}`)}`];
  const [old, young] = [shown(before), shown(after)];
  const short = `    ${label}: ${old} → ${young}`;
  if (displayWidth(short) <= width) return [short];
  return [`    ${label}:`, `      ${style.bad(`- ${old}`)}`, `      ${style.good(`+ ${young}`)}`];
}

export function shown(words: string | null): string {
  return shortened(printable(words ?? "nothing"), maxValueLength);
}

const maxValueLength = 200;
