import { createServer, type Socket } from "node:net";
import { openServer } from "./open-server.ts";

/** What a hostile store does with a connection, once a whole request head has arrived. */
export type Script = (socket: Socket, head: string) => void;

/**
 * A server that speaks to each request as its present script says: no S3 server, and not always an HTTP
 * server.
 */
export type HostileStore = Awaited<ReturnType<typeof startHostileStore>>;

export async function startHostileStore() {
  let script: Script = (socket) => socket.destroy();
  const requests: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    let head = "";
    socket.on("data", (bytes) => {
      if (head.includes("\r\n\r\n")) return;
      head += bytes.toString("latin1");
      if (!head.includes("\r\n\r\n")) return;
      requests.push(head.slice(0, head.indexOf("\r\n")));
      script(socket, head);
    });
  });
  const { url, close } = await openServer(server);
  return {
    endpoint: url,
    requests,
    play(next: Script) {
      script = next;
    },
    close,
  };
}

/** Writes `piece` for as long as the client reads, as fast as it does. */
export function pour(socket: Socket, piece: string | Buffer): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on("drain", more);
  more();
}

/** Writes the bytes one by one, with short pauses. */
export function drip(socket: Socket, bytes: string, pauseMs: number): void {
  let at = 0;
  const timer = setInterval(() => {
    if (socket.destroyed || at >= bytes.length) return clearInterval(timer);
    socket.write(bytes.charAt(at));
    at += 1;
  }, pauseMs);
  socket.once("close", () => clearInterval(timer));
}
