import type { SettingTable, SettingValues } from "../core/setting-parser.ts";

/** What the command line asks for. */
export type Action =
  | { readonly kind: "serve" | "help" | "version" | "version_json" | "check_config" }
  | { readonly kind: "wrong_usage"; readonly message: string };

export function requestedAction(args: readonly string[]): Action {
  const [argument] = args;
  if (argument === undefined) return { kind: "serve" };
  const action = actions.get(args.join(" "));
  if (action !== undefined) return { kind: action };
  return {
    kind: "wrong_usage",
    message: `The gateway takes one of ${[...actions.keys()].join(", ")}, or nothing.`,
  };
}

const actions: ReadonlyMap<string, "help" | "version" | "version_json" | "check_config"> = new Map([
  ["--help", "help"],
  ["--version", "version"],
  ["--version --json", "version_json"],
  ["--check-config", "check_config"],
]);

/** What `--help` prints. */
export function helpText(settings: SettingTable): string {
  const rows = Object.values(settings).map(
    ({ name, about, fallbackText }) =>
      `  ${name.padEnd(nameWidth)}${about} [${fallbackText.replaceAll("`", "")}]`,
  );
  return [
    "Usage: partner-programs-gateway [--help | --version [--json] | --check-config]",
    "",
    "Serves the published snapshots of the object store to partners. SIGTERM or SIGINT ends it gracefully.",
    "",
    "Settings, from the environment [default]:",
    ...rows.map((row) => row.replaceAll("`", "")),
    "",
    "Exit status: 0 ended as asked, 1 failed, 2 wrong usage or settings.",
  ].join("\n");
}

/** The lines that `--check-config` prints: the effective settings, secrets hidden. */
export function settingLines<Table extends SettingTable>(
  table: Table,
  values: SettingValues<Table>,
): readonly string[] {
  return Object.entries(table).map(
    ([key, { name, show }]) => `${name.padEnd(nameWidth)}${show(values[key])}`,
  );
}

const nameWidth = 29;
