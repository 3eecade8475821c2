import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** What a process has written so far. */
export interface Written {
  stdout: string;
  stderr: string;
  /** Both, in the order in which they came. */
  output: string;
}

/** Takes down what the process writes, from now on. */
export function outputOf(child: ChildProcess): Written {
  const all: Written = { stdout: "", stderr: "", output: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      all[name] += text;
      all.output += text;
    });
  }
  return all;
}

/** Runs a program with these variables and nothing else of the environment but `PATH`. */
export async function runToEnd(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd?: string,
): Promise<Written & { readonly status: number | NodeJS.Signals }> {
  const child = spawn(program, args, { cwd, env: { PATH: process.env.PATH, ...env } });
  child.stdin.end();
  const all = outputOf(child);
  const [code, signal] = await once(child, "close");
  return { ...all, status: code ?? signal };
}
