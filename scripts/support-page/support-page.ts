import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cause, causes, plant } from "./causes.ts";
import { openCompany } from "./company.ts";

/** Where the page is, relative to the project's root. */
export const supportPagePath = "docs/support.md";

/** The command of a section, and what it printed when the page was made. */
const printed = /^```console\n\$ partner-programs (.+)\n[\s\S]*?^```$/m;

/**
 * The page with what the commands print today: each complaint's cause happens in a company of its own, and then its command is run.
 * Throws when a cause has no section.
 */
export async function supportPage(databaseUrl: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "support-page-"));
  const sections = (await readFile(supportPagePath, "utf8")).split(/^(?=## )/m);
  const missing = new Set(Object.keys(causes));
  try {
    for (const [at, section] of sections.entries()) {
      const [, command] = printed.exec(section) ?? [];
      const title = section.slice("## ".length, section.indexOf("\n"));
      const cause = causes[title];
      if (command === undefined || cause === undefined) continue;
      missing.delete(title);
      const shown = await shownBy(command, cause, databaseUrl, join(directory, "company"));
      // A function, since the output may hold what `replace` takes for a group.
      sections[at] = section.replace(
        printed,
        () => `\`\`\`console\n$ partner-programs ${command}\n${shown}\n\`\`\``,
      );
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  if (missing.size > 0) throw new Error(`${supportPagePath} has no complaint "${[...missing].join('", "')}"`);
  return sections.join("");
}

async function shownBy(
  command: string,
  cause: Cause,
  databaseUrl: string,
  directory: string,
): Promise<string> {
  const company = await openCompany(databaseUrl, directory);
  try {
    const { terminal, logFile } = company;
    const args = command.split(" ").map((arg) => (arg === "gateway.log" ? logFile : arg));
    terminal.at("2027-03-02T06:00:00Z");
    await company.command("snapshot", "build");
    // `request explain ID --log gateway.log`
    await plant(cause, company, args[2] ?? "");
    const { status, shown } = await terminal.run(args);
    if (status !== 0) throw new Error(`${command} ended with ${status}: ${shown}`);
    return shown.replaceAll(logFile, "gateway.log").trimEnd();
  } finally {
    await company.close();
  }
}
