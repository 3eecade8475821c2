import { printable } from "../../core/printable.ts";
import type { EffectiveSetting } from "../support/effective-settings.ts";
import type { Layout } from "./layout.ts";
import { table } from "./table.ts";

/** The settings in force, those that are not the default standing out. */
export function settingsText(
  settings: readonly EffectiveSetting[],
  aws: readonly { readonly name: string; readonly value: string; readonly origin: string }[],
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
  return table(
    [{ title: "SETTING" }, { title: "VALUE" }, { title: "ORIGIN" }, { title: "USED BY" }],
    [...rows, ...awsRows],
    columns,
  );
}
