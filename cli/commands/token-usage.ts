import { Command } from "commander";
import { Failure } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { readUsage } from "../operate/gateway-log/usage-tally.ts";
import { readRegistry } from "../operate/tokens/edit-registry.ts";
import { layoutOf } from "../output/layout.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { usageByToken as usageOf, usageRowsText, usageText } from "../support/usage.ts";
import { logOption, logSources } from "./log-option.ts";

interface UsageFlags {
  readonly log?: readonly string[];
  readonly all: boolean;
  readonly json: boolean;
}

/** `token usage`: who requests what, according to the gateway's log. */
export function tokenUsage(shell: Shell): Command {
  return new Command()
    .addOption(logOption())
    .option("--all", "one line per token, resource, status and day", false)
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, run));
}

async function run(shell: Shell, { log, all, json }: UsageFlags): Promise<ExitStatus> {
  const settings = settingsOf(shell);
  const { rows, covers, faults } = await readUsage(logSources(shell, settings, log), shell.signal);
  for (const fault of faults) shell.stderr.write(`partner-programs: ${printable(fault)}\n`);
  if (covers === null) {
    throw new Failure(
      "not_found",
      "The log has no request as the gateway logs them. Is it the gateway's log, with LOG_LEVEL=info?",
    );
  }
  const { registry } = await withStore(settings, readRegistry);
  const usage = usageOf(rows, registry.tokens, covers.to, shell.now());
  if (json) {
    const idle = usage.idle.map(({ tokenId, tenantId, name }) => ({ tokenId, tenantId, name }));
    const { tokens, legacyCallers } = usage;
    printJson(shell, { ...covers, tokens, idle, legacyCallers, rows, faults });
  } else if (all) shell.stdout.write(usageRowsText(rows));
  else shell.stdout.write(usageText(usage, covers, layoutOf(shell)));
  return 0;
}
