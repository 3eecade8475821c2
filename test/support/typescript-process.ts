import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface TypescriptProcess {
  readonly child: ChildProcess;
  /** Standard output, once the process has ended well; rejects with its standard error otherwise. */
  readonly output: Promise<string>;
  /** Resolves when standard output holds the text. */
  printed(text: string): Promise<void>;
}

/** Runs a TypeScript file of `test/support/` in a process of its own. */
export function startTypescript(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): TypescriptProcess {
  const loader = new URL("./register-typescript.mjs", import.meta.url).href;
  const script = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, ["--import", loader, script, ...args], { env });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const output = once(child, "close").then(([code, signal]) => {
    if (code === 0) return stdout;
    throw new Error(`${file} ended with ${code ?? signal}: ${stderr}`);
  });
  // A test that kills the process never looks at its output.
  output.catch(() => {});
  return {
    child,
    output,
    async printed(text) {
      while (!stdout.includes(text)) {
        const ended = output.then(() => {
          if (!stdout.includes(text)) throw new Error(`${file} ended without printing ${text}: ${stdout}`);
        });
        await Promise.race([once(child.stdout, "data"), ended]);
      }
    },
  };
}
