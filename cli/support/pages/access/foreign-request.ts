import type { IncomingMessage } from "node:http";
import { createAdminHostCheck } from "../../../../core/admin-host.ts";
import { type Refusal, refused } from "./gate.ts";

/**
 * P63: refuses what another page has a visitor's browser ask for, of pages that a team reaches by name. `names` are those
 * that the server is known by, beside addresses and `localhost`, which no page of the web can be called (DNS rebinding).
 * A link that somebody follows may stand anywhere, in a ticket or behind a login: a page that is opened as a page tells
 * the one that led to it nothing.
 */
export function createForeignRequestCheck(
  names: readonly string[],
): (req: IncomingMessage) => Refusal | undefined {
  const isOwnHost = createAdminHostCheck(names);
  return (req) => {
    if (!isOwnHost(req.headers.host)) {
      return refused(
        421,
        "This server does not know the name that it was asked by. Whoever runs it can give it with --host-name.",
      );
    }
    const site = req.headers["sec-fetch-site"];
    if (site === undefined || site === "none" || site === "same-origin") return undefined;
    if (req.headers["sec-fetch-mode"] === "navigate" && req.headers["sec-fetch-dest"] === "document") {
      return undefined;
    }
    return refused(403, "Another page asked for this one. Open it in a window of its own instead.");
  };
}
