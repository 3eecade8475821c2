import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import type { Command } from "commander";
import { createProgram } from "../../cli/program.ts";
import type { Output, Shell } from "../../cli/shell/shell.ts";

/** The words that call each command and group of commands; `[]` is the program itself. */
export function commandPaths(): (readonly string[])[] {
  const visit = (command: Command, path: readonly string[]): (readonly string[])[] => [
    path,
    ...command.commands.flatMap((child) => visit(child, [...path, child.name()])),
  ];
  return visit(createProgram(idleShell, "0.0.0-test"), []);
}

const nowhere: Output = { write: () => {}, isTTY: false, columns: 80 };

/** Commands are made, not run. */
const idleShell: Shell = {
  env: {},
  stdout: nowhere,
  stderr: nowhere,
  stdin: Readable.from([]),
  now: () => new Date(0),
  randomBytes,
  signal: new AbortController().signal,
  finish: () => {},
};
