import { Failure } from "../../core/ground/failure.ts";
import { printable } from "../../core/ground/printable.ts";
import { parseInstant, parseSettings } from "../../core/process/setting-parser.ts";
import { cliSettings } from "../../core/process/settings.ts";
import { presentUrl, withSourceClient } from "../database/source-client.ts";
import { withDatabaseUrl } from "../database/with-database-url.ts";
import { initSource } from "../demo/booking/init-source.ts";
import { type SeedReport, seedSource } from "../demo/booking/seed-source.ts";
import { demonstrate } from "../demo/demonstrate.ts";
import { createMissingViews, viewsSkeleton } from "../operate/source-check/empty-views.ts";
import { numbers, table } from "../output/layout.ts";
import { numberText } from "../output/words.ts";
import { printResult, settingsOf } from "../shell/shell.ts";
import { asText, command, defaulted, expecting, flag, json, value } from "./command.ts";
import { wholeNumber } from "./option-values.ts";

/** `source init`: creates the reference schema with its views, or helps to write views on your own. */
export const sourceInit = command(
  {
    viewsOnly: flag("with a booking schema of your own: create empty views for data that you don't have"),
    skeleton: {
      ...flag("print all ten views as SQL to be filled in; asks no database"),
      excluded: ["viewsOnly", "reference", "json"],
    },
    reference: {
      ...flag("create the reference schema beside the tables that the database has"),
      excluded: ["viewsOnly"],
    },
    json,
  },
  async (shell, { viewsOnly, skeleton, reference, json }) => {
    if (skeleton) return shell.stdout.write(viewsSkeleton());
    await withDatabaseUrl(settingsOf(shell), async (databaseUrl) => {
      if (viewsOnly) {
        const { created, missing } = await createMissingViews(databaseUrl, shell.signal);
        const found = { applied: [], createdViews: created, missingViews: missing };
        return printResult(shell, json, found, viewsText(created, missing));
      }
      const { applied } = await initSource(presentUrl(databaseUrl), { isBesideOthers: reference });
      const found = { applied, createdViews: [], missingViews: [] };
      printResult(shell, json, found, appliedText(applied));
    });
  },
);

function appliedText(applied: readonly string[]): string {
  if (applied.length === 0) return "The reference booking schema is up to date; nothing was changed.\n";
  const lines = applied.map((name) => `  ${name}\n`).join("");
  return `The reference booking schema is ready. Applied:\n${lines}Fill it with \`source seed\`.\n`;
}

function viewsText(created: readonly string[], missing: readonly string[]): string {
  const lines =
    created.length === 0
      ? "No optional view is missing; nothing was changed.\n"
      : `Created empty views: ${created.map((name) => `partner_source.${name}`).join(", ")}.\n`;
  if (missing.length === 0) return lines;
  const names = missing.map((name) => `partner_source.${name}`).join(" and ");
  return `${lines}Still missing, and yours to write: ${names}. \`source check\` says which columns they need.\n`;
}

const asDate = expecting("a date like 2027-01-31.", (text) =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && parseInstant(text) !== undefined ? text : undefined,
);

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
    printResult(shell, json, { ...report, elapsedMs }, seedText(report, elapsedMs));
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

/** `demo`: shows everything once, from a database to partners' answers, on sample data below `DATA_DIR`. */
export const demo = command(
  { check: flag("end after the requests; exit status 0 if every answer was as expected") },
  async (shell, { check }) => {
    // Only `DATA_DIR` is read. Other settings name real databases and stores, which no demo touches (P120).
    const parsed = parseSettings({ dataDir: cliSettings.dataDir }, shell.env);
    if (!parsed.ok) throw new Failure("settings", parsed.faults);
    return (await demonstrate({ dataDir: parsed.values.dataDir, isCheck: check }, shell)) ? 0 : 1;
  },
);
