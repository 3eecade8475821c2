import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import type { Output, Shell } from "../../cli/shell/shell.ts";

/** A shell for what lies below the commands; what is said on standard error is collected. */
export function quietShell(said: string[] = []): Shell {
  const output = (texts: string[]): Output => ({
    write: (text) => texts.push(text.toString()),
    isTTY: false,
    columns: 80,
  });
  return {
    env: {},
    stdout: output([]),
    stderr: output(said),
    stdin: Readable.from([]),
    actor: { user: "ada", host: "desk" },
    now: () => new Date("2026-11-21T12:00:00.000Z"),
    randomBytes,
    signal: new AbortController().signal,
    finish: () => {},
  };
}
