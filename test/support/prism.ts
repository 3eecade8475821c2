import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import type { ToolFolder } from "./partner-tools.ts";

/** Prism on a free port: a mock of the document, or a proxy that holds what passes against it. */
export interface Prism {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startPrism(
  tools: ToolFolder,
  document: string,
  options: { readonly upstream?: string } = {},
): Promise<Prism> {
  // It takes no port 0.
  const port = await freePort();
  const prism = join(tools, "node_modules/@stoplight/prism-cli/dist/index.js");
  const task = options.upstream === undefined ? ["mock", document] : ["proxy", document, options.upstream];
  const child = spawn(process.execPath, [prism, ...task, "--port", String(port), "--host", "127.0.0.1"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        if (output.includes("Prism is listening")) resolve();
      });
    child.once("close", () => reject(new Error(`Prism ended:\n${output}`)));
  });
  await ready;
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, "close");
    },
  };
}
