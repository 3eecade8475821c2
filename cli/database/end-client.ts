import type pg from "pg";
import { cutConnection } from "./cut-connection.ts";

/** A server that is gone without a word never answers the farewell. */
const maxFarewellMs = 2000;

/** Ends the connection; never throws, and never waits for a server that does not answer. */
export async function endClient(client: pg.Client): Promise<void> {
  const cut = setTimeout(() => cutConnection(client), maxFarewellMs);
  try {
    await client.end();
  } catch {
    // It is ended either way.
  } finally {
    clearTimeout(cut);
  }
}
