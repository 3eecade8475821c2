import { presentUrl } from "../database/source-client.ts";
import { withDatabaseUrl } from "../database/with-database-url.ts";
import { initSource } from "../demo/booking/init-source.ts";
import { createMissingViews, viewsSkeleton } from "../publish/source/empty-views.ts";
import { printJson, settingsOf } from "../shell/shell.ts";
import { command, excluding, flag, json } from "./command.ts";

/** `source init`: creates the reference schema with its views, or helps to write the views on a schema of your own. */
export const sourceInit = command(
  {
    viewsOnly: flag("with a booking schema of your own: create empty views for data that you don't have"),
    skeleton: excluding(
      flag("print all ten views as SQL to be filled in; asks no database"),
      ...["viewsOnly", "reference", "json"],
    ),
    reference: excluding(
      flag("create the reference schema beside the tables that the database has"),
      "viewsOnly",
    ),
    json,
  },
  async (shell, { viewsOnly, skeleton, reference, json }) => {
    if (skeleton) return shell.stdout.write(viewsSkeleton());
    await withDatabaseUrl(settingsOf(shell), async (databaseUrl) => {
      if (viewsOnly) {
        const { created, missing } = await createMissingViews(databaseUrl, shell.signal);
        if (json) printJson(shell, { applied: [], createdViews: created, missingViews: missing });
        else shell.stdout.write(viewsText(created, missing));
        return;
      }
      const { applied } = await initSource(presentUrl(databaseUrl), { isBesideOthers: reference });
      if (json) printJson(shell, { applied, createdViews: [], missingViews: [] });
      else shell.stdout.write(appliedText(applied));
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
