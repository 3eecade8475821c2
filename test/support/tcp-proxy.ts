import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { freePort } from "./free-port.ts";

/** A hop to another server that a test can interrupt. */
export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;

export async function startTcpProxy(target: string) {
  let { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  let isHanging = false;
  const server = createServer((near) => {
    const far = connect({ host: hostname, port: Number(port) });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        open.delete(from);
        to.destroy();
      });
      from.on("data", (chunk) => {
        if (!isHanging && !silent.has(from)) to.write(chunk);
      });
    }
  });
  const listeningPort = await freePort();
  await listen(server, listeningPort);
  const endAll = (): void => {
    for (const socket of open) socket.destroy();
  };
  const url = new URL(target);
  url.host = `127.0.0.1:${listeningPort}`;
  return {
    url: url.href,
    /** Refuses new connections and ends those that there are. */
    async refuse() {
      const closed = once(server, "close");
      server.close();
      endAll();
      await closed;
    },
    /** Keeps connections but passes nothing on any more. */
    hang() {
      isHanging = true;
    },
    /** Keeps the connections that there are but passes nothing on in them any more; new ones work. */
    silence() {
      for (const socket of open) silent.add(socket);
    },
    /** Lets new connections lead to another server; those that there are stay with the one that they had. */
    leadTo(next: string) {
      ({ hostname, port } = new URL(next));
    },
    /** Passes on again; connections that hung are ended. */
    async restore() {
      isHanging = false;
      endAll();
      if (!server.listening) await listen(server, listeningPort);
    },
  };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}
