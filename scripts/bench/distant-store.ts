import { Agent, createServer, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { listen } from "../../core/listen.ts";

export interface DistantStore {
  readonly url: string;
  close(): void;
}

/** Simulates a distant S3 server: each request waits before it is passed on unchanged. */
export async function startDistantStore(endpoint: URL, delayMs: number): Promise<DistantStore> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer(async (req, res) => {
    await delay(delayMs);
    const { method, url, headers } = req;
    const { hostname, port } = endpoint;
    const passed = request({ agent, hostname, port, method, path: url, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    passed.on("error", () => res.destroy());
    req.pipe(passed);
  });
  return {
    url: await listen(server, "127.0.0.1", 0),
    close() {
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
}
