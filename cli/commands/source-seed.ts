import { InvalidArgumentError } from "commander";
import { printable } from "../../core/printable.ts";
import { parseInstant } from "../../core/setting-parser.ts";
import { withSourceClient } from "../database/source-client.ts";
import { withDatabaseUrl } from "../database/with-database-url.ts";
import { type SeedReport, seedSource } from "../demo/booking/seed-source.ts";
import { numberText } from "../output/counted.ts";
import { numbers, table } from "../output/table.ts";
import { printJson, settingsOf } from "../shell/shell.ts";
import { asText, command, defaulted, flag, json, value } from "./command.ts";
import { wholeNumber } from "./option-values.ts";

/** `source seed`: sample data for the reference schema. */
export const sourceSeed = command(
  {
    tenants: defaulted("<n>", "how many companies", wholeNumber(1, 10_000), 5),
    programs: defaulted("<n>", "how many programs each", wholeNumber(0, 1_000_000), 24),
    seed: defaulted("<text>", "the same seed and date give the same data", asText, "1"),
    date: value("<YYYY-MM-DD>", "the day that travel dates are relative to (default: today, UTC)", asDate),
    replace: flag("wipe the schema's data also if it is not sample data"),
    json,
  },
  async (shell, { date, json, ...flags }) => {
    const startedAt = shell.now();
    const options = { ...flags, today: date ?? startedAt.toISOString().slice(0, 10) };
    const report = await withDatabaseUrl(settingsOf(shell), (databaseUrl) =>
      withSourceClient({ databaseUrl, signal: shell.signal }, (client) => seedSource(client, options)),
    );
    const elapsedMs = shell.now().getTime() - startedAt.getTime();
    if (json) printJson(shell, { ...report, elapsedMs });
    else shell.stdout.write(seedText(report, elapsedMs));
  },
);

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

function asDate(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && parseInstant(text) !== undefined) return text;
  throw new InvalidArgumentError("Expected a date like 2027-01-31.");
}
