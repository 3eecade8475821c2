import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";

/** Half of what a gateway has open at a time, by default. */
const perGeneration = 5000;

type Users = Map<string, "own" | "foreign">;

/**
 * Whether the token's requests come over connections that bear other tokens, too. Then they may be a proxy's, which say nothing
 * of this client.
 *
 * W83: connections are remembered in two generations, of which the older one goes as a whole: to take the oldest entry out of
 * a `Map` again and again takes time in proportion to those that were taken out before.
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
