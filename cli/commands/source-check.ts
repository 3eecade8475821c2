import { Command } from "commander";
import { Failure } from "../../core/failure.ts";
import { withSourcePool } from "../database/connect.ts";
import { withDatabaseUrl } from "../database/with-database-url.ts";
import { checkSource, type SourceReport } from "../operate/source-check/check-source.ts";
import type { AskStore } from "../operate/source-check/tenant-case.ts";
import { counted } from "../output/counted.ts";
import { layoutOf } from "../output/layout.ts";
import { contentRules } from "../publish/content/content-rules.ts";
import { createProgressBar } from "../publish/report/progress-bar.ts";
import { problemReport } from "../publish/report/source-problems-text.ts";
import { causeCodes } from "../publish/source/source-problem.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, type CliSettings, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";

/** `source check`: what a build would find wrong with the source, each finding with its fix. */
export function sourceCheck(shell: Shell): Command {
  return new Command().option("--json", "print an object for programs", false).action(action(shell, run));
}

async function run(shell: Shell, { json }: { readonly json: boolean }): Promise<ExitStatus> {
  const settings = settingsOf(shell);
  const report = await sourceReport(shell, settings);
  if (json) printJson(shell, report);
  else shell.stdout.write(checkText(shell, report));
  return report.isBroken ? 1 : 0;
}

async function sourceReport(shell: Shell, settings: CliSettings): Promise<SourceReport> {
  const { signal } = shell;
  const progress = createProgressBar(shell.stderr, shell.now);
  const askStore: AskStore = (ask) => withStore(settings, ask);
  try {
    return await withDatabaseUrl(settings, (databaseUrl) =>
      withSourcePool({ databaseUrl, connections: 1, signal }, (pool) =>
        pool.withReading((client) => checkSource(client, contentRules(settings), progress, askStore, signal)),
      ),
    );
  } catch (error) {
    throw signal.aborted ? new Failure("interrupted", "Interrupted.", { cause: error }) : error;
  } finally {
    progress.clear();
  }
}

function checkText(shell: Shell, { problems, rows, published, isBroken }: SourceReport): string {
  const findings = problems.length === 0 ? "" : `${problemReport(problems, layoutOf(shell))}\n`;
  const errors = counted(problems.filter(({ severity }) => severity === "error").length, "error");
  const warnings = problems.filter(({ severity }) => severity === "warning").length;
  if (rows === null) {
    return `${findings}The contract is broken: ${errors}. Rows were not looked at; mend the views first.\n`;
  }
  // The rows of a view that fails at one row cannot be counted, and must not be reported as 0.
  const sizes = (["tenant", "program"] as const).map((noun) => {
    const count = rows[`${noun}s`];
    return count === null || count === undefined ? `${noun}s not counted` : counted(count, noun);
  });
  const size = `(${sizes.join(", ")})`;
  // This comes first: a source from which nothing would be published is never called right (P103).
  if (published === 0) {
    const found = isBroken ? `${errors}, ${counted(warnings, "warning")}` : counted(warnings, "warning");
    return `${findings}Nothing would be published: ${found} ${size}.\n`;
  }
  if (isBroken) {
    return `${findings}The contract is broken: ${errors}, ${counted(warnings, "warning")} ${size}.\n`;
  }
  if (warnings === 0) return `The source keeps the contract ${size}.\n`;
  if (problems.some(({ code }) => causeCodes.some((cause) => cause === code))) {
    return `${findings}The source may not show all that it should: ${counted(warnings, "warning")} ${size}.\n`;
  }
  return `${findings}The source keeps the contract, with ${counted(warnings, "warning")} ${size}.\n`;
}
