import type { IncomingMessage } from "node:http";
import { createAdminHostCheck } from "../../../../core/admin-server.ts";
import { type Refusal, refused } from "./gate.ts";

/**
 * P63: refuses a request that another page makes a visitor's browser send. `names`: the names that the server answers to, besides
 * IP addresses and `localhost`, which no page of the web can have as its name (DNS rebinding). Following a link is allowed from
 * anywhere, such as a ticket or a login page, since a page that is opened as a page reveals nothing to the page with the link.
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
