import { Command, Option } from "commander";
import { presentUrl } from "../database/source-client.ts";
import { withDatabaseUrl } from "../database/with-database-url.ts";
import { initSource } from "../demo/booking/init-source.ts";
import { viewsSkeleton } from "../publish/source/skeleton.ts";
import { createMissingViews } from "../publish/source/stand-in-views.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";

interface InitFlags {
  readonly viewsOnly: boolean;
  readonly skeleton: boolean;
  readonly reference: boolean;
  readonly json: boolean;
}

/** `source init`: creates the reference schema with its views, or helps to write the views on a schema of your own. */
export function sourceInit(shell: Shell): Command {
  return new Command()
    .option(
      "--views-only",
      "with a booking schema of your own: create empty views for data that you don't have",
      false,
    )
    .addOption(
      new Option("--skeleton", "print all ten views as SQL to be filled in; asks no database")
        .default(false)
        .conflicts(["viewsOnly", "reference", "json"]),
    )
    .addOption(
      new Option("--reference", "create the reference schema beside the tables that the database has")
        .default(false)
        .conflicts("viewsOnly"),
    )
    .option("--json", "print an object for programs", false)
    .action(action(shell, run));
}

async function run(shell: Shell, flags: InitFlags): Promise<ExitStatus> {
  const { viewsOnly, skeleton, reference, json } = flags;
  if (skeleton) {
    shell.stdout.write(viewsSkeleton());
    return 0;
  }
  const settings = settingsOf(shell);
  const { signal } = shell;
  await withDatabaseUrl(settings, async (databaseUrl) => {
    if (viewsOnly) {
      const { created, missing } = await createMissingViews(databaseUrl, signal);
      if (json) printJson(shell, { applied: [], createdViews: created, missingViews: missing });
      else shell.stdout.write(viewsText(created, missing));
      return;
    }
    const { applied } = await initSource(presentUrl(databaseUrl), { isBesideOthers: reference });
    if (json) printJson(shell, { applied, createdViews: [], missingViews: [] });
    else shell.stdout.write(appliedText(applied));
  });
  return 0;
}

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
