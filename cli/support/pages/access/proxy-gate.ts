import type { IncomingMessage } from "node:http";
import { createAdminHostCheck } from "../../../../core/admin-server.ts";
import { type Gate, isSameSecret, type Refusal, refused } from "./gate.ts";

/** The header in which the proxy proves that it is the proxy. */
export const secretHeader = "X-Inspect-Secret";

export interface ProxyGateOptions {
  /** The header in which the proxy names who signed in. */
  readonly userHeader: string;
  /** The secret that only the proxy knows. */
  readonly secret: string;
  readonly hostNames: readonly string[];
}

/**
 * P62: lets in people whom an authenticating proxy names. Anybody who reaches the port can send a name, so the name counts only
 * with the proxy's secret. Each header must come once, since with two values nobody knows which one the proxy set.
 */
export function createProxyGate({ userHeader, secret, hostNames }: ProxyGateOptions): Gate {
  const foreign = createForeignRequestCheck(hostNames);
  return (req) => {
    const refusal = foreign(req);
    if (refusal !== undefined) return refusal;
    const given = single(req, secretHeader);
    if (given === undefined || !isSameSecret(given, secret)) {
      return refused(
        403,
        `These pages are reached through the proxy that signs people in. (Its ${secretHeader} is missing or wrong.)`,
      );
    }
    const user = userName(single(req, userHeader) ?? "");
    if (user === undefined) {
      return refused(403, `The proxy did not say who signed in: it has to set ${userHeader}, once.`);
    }
    return { kind: "granted", user };
  };
}

function single(req: IncomingMessage, name: string): string | undefined {
  const values = req.headersDistinct[name.toLowerCase()] ?? [];
  return values.length === 1 ? values[0] : undefined;
}

/** The name decoded as UTF-8. Node.js decodes header values as Latin-1. */
function userName(header: string): string | undefined {
  const name = Buffer.from(header, "latin1").toString("utf8").trim();
  return name !== "" && name.length <= 256 ? name : undefined;
}

/**
 * P63: refuses a request that another page makes a visitor's browser send. `names`: the names that the server answers to, besides
 * IP addresses and `localhost`, which no page of the web can have as its name (DNS rebinding). Following a link is allowed from
 * anywhere, such as a ticket or a login page, since a page that is opened as a page reveals nothing to the page with the link.
 */
function createForeignRequestCheck(names: readonly string[]): (req: IncomingMessage) => Refusal | undefined {
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
