import { Failure } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { readUsage } from "../operate/gateway-log/usage-tally.ts";
import { readRegistry } from "../operate/tokens/edit-registry.ts";
import { layoutOf } from "../output/layout.ts";
import { printJson, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { usageByToken as usageOf, usageRowsText, usageText } from "../support/usage.ts";
import { command, flag, json } from "./command.ts";
import { logFlag, logSources } from "./option-values.ts";

/** `token usage`: who requests what, according to the gateway's log. */
export const tokenUsage = command(
  { log: logFlag(), all: flag("one line per token, resource, status and day"), json },
  async (shell, { log, all, json }) => {
    const settings = settingsOf(shell);
    const { rows, covers, faults } = await readUsage(logSources(shell, settings, log), shell.signal);
    for (const fault of faults) shell.stderr.write(`partner-programs: ${printable(fault)}\n`);
    if (covers === null) {
      const what = "The log has no request as the gateway logs them.";
      throw new Failure("not_found", `${what} Is it the gateway's log, with LOG_LEVEL=info?`);
    }
    const { registry } = await withStore(settings, readRegistry);
    const usage = usageOf(rows, registry.tokens, covers.to, shell.now());
    if (json) {
      const idle = usage.idle.map(({ tokenId, tenantId, name }) => ({ tokenId, tenantId, name }));
      const { tokens, legacyCallers } = usage;
      printJson(shell, { ...covers, tokens, idle, legacyCallers, rows, faults });
    } else if (all) shell.stdout.write(usageRowsText(rows));
    else shell.stdout.write(usageText(usage, covers, layoutOf(shell)));
  },
);
