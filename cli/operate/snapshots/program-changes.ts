import { printable, shortened } from "../../../core/printable.ts";
import { fieldLabel, valueWords } from "../../output/field-words.ts";
import type { Layout } from "../../output/layout.ts";
import { displayWidth } from "../../output/wrap.ts";
import { type JsonChange, jsonChanges } from "./json-changes.ts";

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
