import { Command } from "commander";
import { initSource } from "../booking/init-source.ts";
import { withDatabaseUrl } from "../database/with-database-url.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { createMissingViews } from "../source/stand-in-views.ts";

interface InitFlags {
  readonly viewsOnly: boolean;
  readonly json: boolean;
}

/** `source init`: the reference schema with its views, or only what a schema of your own leaves out. */
export function sourceInit(shell: Shell): Command {
  return new Command()
    .option(
      "--views-only",
      "with a booking schema of your own: create empty views for data that you don't have",
      false,
    )
    .option("--json", "print an object for programs", false)
    .action(action(shell, (flags: InitFlags) => run(shell, flags)));
}

async function run(shell: Shell, { viewsOnly, json }: InitFlags): Promise<ExitStatus> {
  await withDatabaseUrl(settingsOf(shell), async (databaseUrl) => {
    if (viewsOnly) {
      const { created, missing } = await createMissingViews(databaseUrl, shell.signal);
      if (json) printJson(shell, { applied: [], createdViews: created, missingViews: missing });
      else shell.stdout.write(viewsText(created, missing));
      return;
    }
    const { applied } = await initSource(databaseUrl);
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
