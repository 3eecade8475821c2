import { Command } from "commander";
import { singleLine } from "../../core/printable.ts";
import { layoutOf } from "../presentation/layout.ts";
import { printText } from "../presentation/print-text.ts";
import { settingsText } from "../presentation/settings-text.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell } from "../shell/shell.ts";
import { awsVariables, effectiveSettings } from "../support/effective-settings.ts";

/** `config`: the settings in force and where they come from. */
export function config(shell: Shell): Command {
  return new Command()
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, (flags: { readonly json: boolean }) => run(shell, flags.json)));
}

async function run(shell: Shell, json: boolean): Promise<ExitStatus> {
  const settings = effectiveSettings(shell.env);
  const aws = awsVariables(shell.env);
  const faults = settings.flatMap(({ fault }) => fault ?? []);
  if (json) printJson(shell, { settings, aws, faults });
  else printText(shell, settingsText(settings, aws, layoutOf(shell)));
  if (faults.length === 0) return 0;
  shell.stderr.write(
    ["partner-programs: Settings are wrong:", ...faults.map(singleLine)].join("\n  ").concat("\n"),
  );
  return 2;
}
