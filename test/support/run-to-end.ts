import { spawn } from "node:child_process";
import { once } from "node:events";

/** Runs a program with these variables and nothing else of the environment but `PATH`. `output`: both of its streams. */
export async function runToEnd(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd?: string,
): Promise<{ readonly status: number | null; readonly output: string }> {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const [status] = await once(child, "close");
  return { status, output };
}
