import { fieldLabel, fieldPattern, valueWords } from "../../publish/public-program/field-words.ts";
import { type JsonChange, jsonChanges } from "../../publish/snapshot/json-changes.ts";

/** A change of a program, and the same in words. */
export type ProgramChange = JsonChange & { readonly words: ChangeWords };

/** `null`: there is none on that side. */
export interface ChangeWords {
  readonly label: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** What turns one version of a program into the other, in the order of the fields. */
export function programChanges(before: unknown, after: unknown): ProgramChange[] {
  return jsonChanges(before, after).map((change) => ({ ...change, words: wordsOf(change, before, after) }));
}

function wordsOf(change: JsonChange, before: unknown, after: unknown): ChangeWords {
  const { path, kind } = change;
  const own = kind === "removed" ? before : after;
  return {
    label: priceLabel(path, own) ?? fieldLabel(path),
    before: kind === "added" ? null : shown(path, change.before, before),
    after: kind === "removed" ? null : shown(path, change.after, after),
  };
}

function shown(path: string, value: unknown, document: unknown): string {
  const currency = at(document, ["currency"]);
  const price = amountOf(path, value);
  return valueWords(price.path, price.value, typeof currency === "string" ? currency : null);
}

/** A whole price is shown as its amount: whose price it is, the label says. */
function amountOf(path: string, value: unknown): { readonly path: string; readonly value: unknown } {
  const isPrice = fieldPattern(path) === "prices.rooms[]" || fieldPattern(path) === "prices.children[]";
  return isPrice ? { path: `${path}.amount`, value: at(value, ["amount"]) } : { path, value };
}

/** Prices are known by whom they are for, not by their place in the list. */
function priceLabel(path: string, document: unknown): string | undefined {
  const [, list, place] = /^prices\.(rooms|children)\[(\d+)\](?:\.amount)?$/.exec(path) ?? [];
  if (list === undefined) return undefined;
  const price = at(document, ["prices", list, place ?? ""]);
  if (list === "rooms") return `Room for ${String(at(price, ["occupancy"]))}`;
  return `Child of ${String(at(price, ["minAge"]))} to ${String(at(price, ["maxAge"]))} years`;
}

function at(value: unknown, names: readonly string[]): unknown {
  let found = value;
  for (const name of names) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    found = Reflect.get(found, name);
  }
  return found;
}
