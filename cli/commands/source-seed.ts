import { Command, InvalidArgumentError } from "commander";
import { printable } from "../../core/printable.ts";
import { parseInstant } from "../../core/setting-parser.ts";
import { withSourceClient } from "../database/source-client.ts";
import { withDatabaseUrl } from "../database/with-database-url.ts";
import { type SeedReport, seedSource } from "../demo/booking/seed-source.ts";
import { numberText } from "../output/counted.ts";
import { numbers, table } from "../output/table.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { wholeNumber } from "./option-values.ts";

interface SeedFlags {
  readonly tenants: number;
  readonly programs: number;
  readonly seed: string;
  readonly date?: string;
  readonly replace: boolean;
  readonly json: boolean;
}

/** `source seed`: sample data for the reference schema. */
export function sourceSeed(shell: Shell): Command {
  return new Command()
    .option("--tenants <n>", "how many companies", wholeNumber(1, 10_000), 5)
    .option("--programs <n>", "how many programs each", wholeNumber(0, 1_000_000), 24)
    .option("--seed <text>", "the same seed and date give the same data", "1")
    .option("--date <YYYY-MM-DD>", "the day that travel dates are relative to (default: today, UTC)", date)
    .option("--replace", "wipe the schema's data also if it is not sample data", false)
    .option("--json", "print an object for programs", false)
    .action(action(shell, run));
}

async function run(shell: Shell, { date: day, json, ...flags }: SeedFlags): Promise<ExitStatus> {
  const startedAt = shell.now();
  const options = { ...flags, today: day ?? startedAt.toISOString().slice(0, 10) };
  const report = await withDatabaseUrl(settingsOf(shell), (databaseUrl) =>
    withSourceClient({ databaseUrl, signal: shell.signal }, (client) => seedSource(client, options)),
  );
  const elapsedMs = shell.now().getTime() - startedAt.getTime();
  if (json) printJson(shell, { ...report, elapsedMs });
  else shell.stdout.write(seedText(report, elapsedMs));
  return 0;
}

function seedText(report: SeedReport, elapsedMs: number): string {
  const rows = Object.entries(report.rows).map(([name, count]) => [name, numberText(count)]);
  const total = Object.values(report.rows).reduce((sum, count) => sum + count, 0);
  return [
    table(["TABLE", numbers("ROWS")], rows),
    `\n${numberText(report.tenants)} companies with ${numberText(report.programs)} programs, `,
    `${numberText(total)} rows in ${(elapsedMs / 1000).toFixed(1)} s `,
    `(seed ${printable(JSON.stringify(report.seed))}, dates around ${report.date}).\n`,
  ].join("");
}

function date(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && parseInstant(text) !== undefined) return text;
  throw new InvalidArgumentError("Expected a date like 2027-01-31.");
}
