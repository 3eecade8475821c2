// Writes the tables of commands and settings into README.md, from the programs themselves. `--check` fails when stale.
import { readFileSync, writeFileSync } from "node:fs";
import type { Argument, Command } from "commander";
import { createProgram } from "../cli/program.ts";
import type { Output, Shell } from "../cli/shell/shell.ts";
import { cliSettings } from "../core/cli-settings.ts";
import { gatewaySettings } from "../core/gateway-settings.ts";
import { packageVersion } from "../core/package-version.ts";
import type { SettingTable } from "../core/setting-parser.ts";

const path = "README.md";
const before = readFileSync(path, "utf8");
const after = withSection(withSection(before, "commands", await commandTable()), "settings", settingTable());
if (before === after) console.log(`${path} is fresh.`);
else if (process.argv.includes("--check")) {
  console.error(`${path} is stale: run \`npm run generate\`.`);
  process.exitCode = 1;
} else {
  writeFileSync(path, after);
  console.log(`${path} is written.`);
}

function withSection(text: string, name: string, section: string): string {
  const [start, end] = [`<!-- generated: ${name} -->`, "<!-- end -->"];
  const from = text.indexOf(start);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`${path} has no section ${name}`);
  return `${text.slice(0, from + start.length)}\n\n${section}\n${text.slice(to)}`;
}

async function commandTable(): Promise<string> {
  const rows = commandsBelow(await createProgram(idleShell(), packageVersion()), "").map(
    ([name, description]) => `| \`${name}\` | ${description} |`,
  );
  return [
    "### Commands",
    "",
    "`partner-programs` ... (`--help` on each)",
    "",
    "| command | does |",
    "| --- | --- |",
    ...rows,
    "",
  ].join("\n");
}

function commandsBelow(command: Command, prefix: string): [name: string, description: string][] {
  return command.commands.flatMap((child) => {
    if (child.name() === "help") return [];
    const name = `${prefix}${child.name()}`;
    if (child.commands.length > 0) return commandsBelow(child, `${name} `);
    const args = child.registeredArguments.map((argument) => ` ${argumentForm(argument)}`);
    return [[`${name}${args.join("")}`, child.description()]];
  });
}

function argumentForm(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function settingTable(): string {
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
      rows.set(name, `| \`${name}\` | ${fallback} | ${users.get(name)?.join(", ")} | ${about} |`);
    }
  }
  return [
    "### Settings",
    "",
    "Environment variables; both programs also take what the AWS SDK takes (`AWS_REGION`, `AWS_ENDPOINT_URL_S3`, ...).",
    "`partner-programs config` shows the effective values with their origin.",
    "",
    "| name | default | for | |",
    "| --- | --- | --- | --- |",
    ...rows.values(),
    "",
  ].join("\n");
}

/** A shell for commands that are only asked for their descriptions. */
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
