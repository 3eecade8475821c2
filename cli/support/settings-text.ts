import { printable } from "../../core/printable.ts";
import type { Layout } from "../output/layout.ts";
import { table } from "../output/table.ts";
import type { EffectiveSetting } from "./effective-settings.ts";

/** The store that the settings lead to, and its identity. */
export interface FoundStore {
  readonly address: string;
  /** `null`: it has none, or nobody could find out. */
  readonly storeId: string | null;
  /** Why nobody could find out. */
  readonly unknown: string | null;
}

/** The settings in force, those that are not the default standing out. */
export function settingsText(
  settings: readonly EffectiveSetting[],
  aws: readonly { readonly name: string; readonly value: string; readonly origin: string }[],
  store: FoundStore | undefined,
  { style, columns }: Layout,
): string {
  const rows = settings.map(({ name, value, origin, usedBy, fault }) => [
    origin === "default" ? name : style.bold(name),
    fault === null ? printable(value ?? "").replaceAll("`", "") : style.bad("faulty, see below"),
    origin === "default" ? style.faint(origin) : origin,
    usedBy.length === 2 ? "both" : usedBy.includes("partner-programs") ? "CLI" : "gateway",
  ]);
  const awsRows = aws.map(({ name, value, origin }) => [
    style.bold(name),
    printable(value),
    origin,
    "the AWS SDK",
  ]);
  const settingsTable = table(
    [{ title: "SETTING" }, { title: "VALUE" }, { title: "ORIGIN" }, { title: "USED BY" }],
    [...rows, ...awsRows],
    columns,
  );
  return store === undefined ? settingsTable : `${settingsTable}\n${storeText(store)}\n`;
}

function storeText({ address, storeId, unknown }: FoundStore): string {
  const place = `The store ${printable(address)}`;
  if (unknown !== null) return `${place} does not say which it is: ${printable(unknown)}`;
  if (storeId === null) return `${place} has no identity yet: the first build or token command gives it one.`;
  return `${place} is ${storeId}.`;
}
