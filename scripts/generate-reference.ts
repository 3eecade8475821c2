// Writes docs/commands.md and docs/settings.md from the programs themselves, the table of views in
// docs/first-day.md from the contract, docs/reference.md from the OpenAPI document, and the examples in
// docs/partners.md. `--check` fails when a page is stale.
import { readFileSync } from "node:fs";
import type { Argument, Command } from "commander";
import { createProgram } from "../cli/program.ts";
import { sourceViews } from "../cli/publish/source/contract.ts";
import type { Output, Shell } from "../cli/shell/shell.ts";
import { packageVersion } from "../core/process/package-version.ts";
import type { SettingTable } from "../core/process/setting-parser.ts";
import { cliSettings, gatewaySettings } from "../core/process/settings.ts";
import { apiReference } from "./api-reference.ts";
import { writeOrCheck } from "./write-or-check.ts";

const sections = {
  "docs/commands.md": { commands: await commandList() },
  "docs/first-day.md": { views: viewTable() },
  "docs/partners.md": {},
  "docs/reference.md": {
    reference: apiReference(JSON.parse(readFileSync("schemas/generated/openapi.json", "utf8"))),
  },
  "docs/settings.md": { settings: settingList() },
};

for (const [path, named] of Object.entries(sections)) {
  let text = readFileSync(path, "utf8");
  for (const [name, section] of Object.entries(named)) text = withSection(path, text, name, section);
  writeOrCheck(path, withExamples(text), "generate");
}

/** With the checked-in example in each block that names one. */
function withExamples(text: string): string {
  return text.replaceAll(/(?<=<!-- example: (.+\.json) -->\n```json\n)[^`]*/g, (_, name: string) =>
    readFileSync(`schemas/examples/${name}`, "utf8"),
  );
}

function withSection(path: string, text: string, name: string, section: string): string {
  const [start, end] = [`<!-- generated: ${name} -->`, "<!-- end -->"];
  const from = text.indexOf(start);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`${path} has no section ${name}`);
  return `${text.slice(0, from + start.length)}\n\n${section}\n${text.slice(to)}`;
}

function viewTable(): string {
  const rows = Object.entries(sourceViews).map(([view, { columns }]) => {
    const named = columns.map(([column, kind]) => `\`${column} ${kind}\``);
    return `| \`${view}\` | ${named.join(", ")} |`;
  });
  return ["| view | further columns |", "| --- | --- |", ...rows, ""].join("\n");
}

async function commandList(): Promise<string> {
  const lines = (await allCommands()).map(([name, command]) => `- \`${name}\`: ${command.description()}`);
  return [...lines, ""].join("\n");
}

async function allCommands(): Promise<[name: string, command: Command][]> {
  return commandsBelow(await createProgram(idleShell(), packageVersion()), "");
}

function commandsBelow(command: Command, prefix: string): [name: string, command: Command][] {
  return command.commands.flatMap((child) => {
    if (child.name() === "help") return [];
    const name = `${prefix}${child.name()}`;
    if (child.commands.length > 0) return commandsBelow(child, `${name} `);
    const args = child.registeredArguments.map((argument) => ` ${argumentForm(argument)}`);
    return [[`${name}${args.join("")}`, child]];
  });
}

function argumentForm(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function settingList(): string {
  const rows = new Map<string, string>();
  const users = new Map<string, string[]>();
  const tables: readonly (readonly [string, SettingTable])[] = [
    ["CLI", cliSettings],
    ["gateway", gatewaySettings],
  ];
  for (const [program, table] of tables) {
    for (const { name, about, fallbackText } of Object.values(table)) {
      const fallback =
        /`|^none/.test(fallbackText) || fallbackText.includes(" ") ? fallbackText : `\`${fallbackText}\``;
      users.set(name, [...(users.get(name) ?? []), program]);
      rows.set(name, `- \`${name}\` (${users.get(name)?.join(", ")}; ${fallback}): ${about}`);
    }
  }
  return [...rows.values(), ""].join("\n");
}

/** A shell for commands that only describe themselves. */
function idleShell(): Shell {
  const nowhere: Output = { write: () => {}, isTTY: false, columns: 80 };
  return {
    env: {},
    stdout: nowhere,
    stderr: nowhere,
    stdin: (async function* () {})(),
    actor: { user: "nobody", host: "nowhere" },
    now: () => new Date(0),
    randomBytes: (size) => Buffer.alloc(size),
    signal: new AbortController().signal,
    finish: () => {},
  };
}
