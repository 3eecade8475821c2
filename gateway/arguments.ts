import type { SettingTable, SettingValues } from "../core/process/setting-parser.ts";

/** What the command line asks for; `undefined` for what the gateway does not take. */
export type Action = "serve" | "help" | "version" | "version_json" | "check_config";

export function requestedAction(args: readonly string[]): Action | undefined {
  return args.length === 0 ? "serve" : actions.get(args.join(" "));
}

const actions: ReadonlyMap<string, Action> = new Map([
  ["--help", "help"],
  ["--version", "version"],
  ["--version --json", "version_json"],
  ["--check-config", "check_config"],
]);

export const wrongUsage = `The gateway takes one of ${[...actions.keys()].join(", ")}, or nothing.`;

/** What `--help` prints. */
export function helpText(settings: SettingTable): string {
  const rows = Object.values(settings).map(({ name, about, fallbackText }) =>
    `  ${name.padEnd(nameWidth)}${about} [${fallbackText}]`.replaceAll("`", ""),
  );
  return [
    "Usage: partner-programs-gateway [--help | --version [--json] | --check-config]",
    "",
    "Serves the published snapshots of the object store to partners. SIGTERM or SIGINT ends it gracefully.",
    "",
    "Settings, from the environment [default]:",
    ...rows,
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
