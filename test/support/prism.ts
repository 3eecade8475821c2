import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
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

/** Prism takes no port 0. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("not a TCP listener");
  return address.port;
}
