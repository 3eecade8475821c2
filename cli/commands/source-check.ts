import { Command } from "commander";
import { withSourceClient } from "../database/source-client.ts";
import { withDatabaseUrl } from "../database/with-database-url.ts";
import { layoutOf } from "../presentation/layout.ts";
import { problemReport } from "../presentation/source-problems-text.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { checkSource, type SourceReport } from "../source/check-source.ts";
import { sourceLimits } from "../source/source-limits.ts";

/** `source check`: the views against the source contract, each finding with its fix. */
export function sourceCheck(shell: Shell): Command {
  return new Command()
    .option("--json", "print an object for programs", false)
    .action(action(shell, (flags: { readonly json: boolean }) => run(shell, flags)));
}

async function run(shell: Shell, { json }: { readonly json: boolean }): Promise<ExitStatus> {
  const settings = settingsOf(shell);
  const report = await withDatabaseUrl(settings, (databaseUrl) =>
    withSourceClient({ databaseUrl, signal: shell.signal }, (client) =>
      checkSource(client, sourceLimits(settings)),
    ),
  );
  if (json) printJson(shell, report);
  else shell.stdout.write(checkText(shell, report));
  return report.isBroken ? 1 : 0;
}

function checkText(shell: Shell, { problems, rows, isBroken }: SourceReport): string {
  const findings = problems.length === 0 ? "" : `${problemReport(problems, layoutOf(shell))}\n`;
  const errors = counted(problems.filter(({ severity }) => severity === "error").length, "error");
  const warnings = problems.filter(({ severity }) => severity === "warning").length;
  if (rows === null) {
    return `${findings}The contract is broken: ${errors}. Rows were not looked at; mend the views first.\n`;
  }
  const size = `(${counted(rows.tenants ?? 0, "tenant")}, ${counted(rows.programs ?? 0, "program")})`;
  if (isBroken) {
    return `${findings}The contract is broken: ${errors}, ${counted(warnings, "warning")} ${size}.\n`;
  }
  if (warnings === 0) return `The source keeps the contract ${size}.\n`;
  return `${findings}The source keeps the contract, with ${counted(warnings, "warning")} ${size}.\n`;
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
