import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Company, openCompany } from "./company.ts";
import { type Complaint, cause } from "./complaint.ts";
import { complaints } from "./complaints.ts";

/** Where the page is, relative to the project's root; the generated part stands between the two marks. */
export const supportPagePath = "docs/support.md";
const [start, end] = ["<!-- generated: complaints -->", "<!-- end -->"];

/** Makes the page: causes each complaint in a new database, and runs its command. */
export async function supportPage(databaseUrl: string): Promise<string> {
  const text = await readFile(supportPagePath, "utf8");
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${supportPagePath} has no generated part`);
  const directory = await mkdtemp(join(tmpdir(), "support-page-"));
  try {
    const sections: string[] = [];
    for (const complaint of complaints) {
      const company = await openCompany(databaseUrl, join(directory, "company"));
      try {
        sections.push(await section(complaint, company));
      } finally {
        await company.close();
      }
    }
    return `${text.slice(0, from + start.length)}\n\n${index()}\n${sections.join("\n")}\n${text.slice(to)}`;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function section(complaint: Complaint, company: Company): Promise<string> {
  const { title, story, command, meaning } = complaint;
  const { terminal, logFile } = company;
  terminal.at("2027-03-02T06:00:00Z");
  await company.command("snapshot", "build");
  await cause(complaint, company);
  const args = command.split(" ").map((arg) => (arg === "gateway.log" ? logFile : arg));
  const { status, shown } = await terminal.run(args);
  if (status !== 0) throw new Error(`${title}: ${command} ended with ${status}: ${shown}`);
  return [
    `## ${title}`,
    "",
    story,
    "",
    "```console",
    `$ partner-programs ${command}`,
    shown.replaceAll(logFile, "gateway.log").trimEnd(),
    "```",
    "",
    meaning,
    "",
  ].join("\n");
}

function index(): string {
  const rows = complaints.map(({ title, command }) => {
    const anchor = title
      .toLowerCase()
      .replace(/[^a-z0-9 -]/g, "")
      .replaceAll(" ", "-");
    const general = command
      .replace(/^request explain \S+/, "request explain REQUEST_ID")
      .replace(/--tenant \S+/, "--tenant ID")
      .replace(/--program \S+/, "--program ID");
    return `| [${title}](#${anchor}) | \`${general}\` |`;
  });
  return ["| what partners say | the command |", "| --- | --- |", ...rows, ""].join("\n");
}
