import { Command } from "commander";
import { Failure } from "../../core/failure.ts";
import { parseSettings } from "../../core/setting-parser.ts";
import { cliSettings } from "../../core/settings.ts";
import { demonstrate } from "../demo/demonstrate.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, type Shell } from "../shell/shell.ts";

/** `demo`: shows everything once, from a database to partners' answers, on sample data below `DATA_DIR`. */
export function demo(shell: Shell): Command {
  return new Command()
    .option("--check", "end after the requests; exit status 0 if every answer was as expected", false)
    .action(action(shell, run));
}

async function run(shell: Shell, { check }: { readonly check: boolean }): Promise<ExitStatus> {
  // Only `DATA_DIR` is read. The other settings name real databases and stores, which the demo must not touch (P120).
  const parsed = parseSettings({ dataDir: cliSettings.dataDir }, shell.env);
  if (!parsed.ok) throw new Failure("settings", parsed.faults);
  return (await demonstrate({ dataDir: parsed.values.dataDir, isCheck: check }, shell)) ? 0 : 1;
}
