import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";

/** Half of the connections that a gateway may have open at a time, by default. */
const perGeneration = 5000;

type Users = Map<string, "own" | "foreign">;

/**
 * Notices connections that carry both this token and another one. They may be a proxy's, which say nothing about this client.
 *
 * W83: connections are remembered in two generations, and the older one is dropped as a whole. Removing the oldest entry of a
 * `Map` again and again would be slow, since the time grows with the number of entries removed before.
 */
export function createSharedConnections(ownTokenId: string) {
  let users: Users = new Map();
  let older: Users = new Map();
  let isShared = false;
  return {
    see({ connection, tokenId }: RequestLogLine): void {
      if (isShared || connection === null || tokenId === null) return;
      const user = tokenId === ownTokenId ? "own" : "foreign";
      const before = users.get(connection) ?? older.get(connection);
      if (before !== undefined && before !== user) isShared = true;
      users.set(connection, user);
      if (users.size < perGeneration) return;
      older = users;
      users = new Map();
    },
    areShared: () => isShared,
  };
}
