import { printable } from "../../core/printable.ts";
import type { EffectiveSetting } from "../support/effective-settings.ts";
import type { Layout } from "./layout.ts";
import { table } from "./table.ts";

/** The settings in force, those from the environment standing out. */
export function settingsText(
  settings: readonly EffectiveSetting[],
  aws: readonly { readonly name: string; readonly value: string }[],
  { style }: Layout,
): string {
  const rows = settings.map(({ name, value, origin, usedBy, fault }) => [
    origin === "environment" ? style.bold(name) : name,
    fault === null ? printable(value ?? "").replaceAll("`", "") : style.bad("faulty, see below"),
    origin === "environment" ? origin : style.faint(origin),
    usedBy.length === 2 ? "both" : usedBy.includes("partner-programs") ? "CLI" : "gateway",
  ]);
  const awsRows = aws.map(({ name, value }) => [
    style.bold(name),
    printable(value),
    "environment",
    "the AWS SDK",
  ]);
  return table(
    [{ title: "SETTING" }, { title: "VALUE" }, { title: "ORIGIN" }, { title: "USED BY" }],
    [...rows, ...awsRows],
  );
}
