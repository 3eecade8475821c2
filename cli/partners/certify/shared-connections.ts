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
export class SharedConnections {
  readonly #tokenId: string;
  #users: Users = new Map();
  #older: Users = new Map();
  #isShared = false;

  constructor(tokenId: string) {
    this.#tokenId = tokenId;
  }

  see({ connection, tokenId }: RequestLogLine): void {
    if (this.#isShared || connection === null || tokenId === null) return;
    const user = tokenId === this.#tokenId ? "own" : "foreign";
    const before = this.#users.get(connection) ?? this.#older.get(connection);
    if (before !== undefined && before !== user) this.#isShared = true;
    this.#users.set(connection, user);
    if (this.#users.size < perGeneration) return;
    this.#older = this.#users;
    this.#users = new Map();
  }

  get isShared(): boolean {
    return this.#isShared;
  }
}
