import type { Server } from "node:http";
import type { Socket } from "node:net";

/** The most open connections of all addresses together. */
const maxConnections = 500;
/** One address leaves half of the connections to others. A proxy in front of a whole team has fewer requests under way. */
const maxPerAddress = maxConnections / 2;

/**
 * P186: bounds the connections of a server, so that nobody keeps others out by opening many. When one address exceeds its half,
 * its oldest idle connection is closed for the new one.
 */
export function boundConnections(server: Server): void {
  server.maxConnections = maxConnections;
  /** The open connections by address, oldest first. */
  const open = new Map<string, Set<Socket>>();
  const busy = new WeakSet<Socket>();
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    const own = open.get(address) ?? new Set();
    open.set(address, own.add(socket));
    socket.once("close", () => {
      own.delete(socket);
      if (own.size === 0) open.delete(address);
    });
    if (own.size <= maxPerAddress) return;
    for (const oldest of own) {
      if (busy.has(oldest)) continue;
      // The connection is not counted any more, although it takes a moment to close.
      own.delete(oldest);
      oldest.destroy();
      return;
    }
  });
  server.on("request", ({ socket }, response) => {
    busy.add(socket);
    response.once("close", () => busy.delete(socket));
  });
}
