import type pg from "pg";

/**
 * Ends the connection at once, with whatever query is under way; its promise rejects with `reason`. `pg` has nothing for it:
 * `end` waits for the query, which may sort for minutes, and for the farewell of a server that may be gone. So this takes the
 * socket, which `pg` does not document: it is all that the generator takes of `pg`'s inside.
 * Held by `build/process.test.ts` and `source/commands.test.ts`, where a signal interrupts a query.
 */
export function cutConnection(client: pg.Client | pg.PoolClient, reason?: Error): void {
  client.connection.stream.destroy(reason);
}
