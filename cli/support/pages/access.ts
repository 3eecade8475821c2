import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { createAdminHostCheck } from "../../../core/process/admin-server.ts";
import { home } from "./addresses.ts";

/** The decision about a request, made before any page is read for it. */
export type Access =
  /** `user`: the person's name for the access log; `null` for a person with the key of the run. */
  | { readonly kind: "granted"; readonly user: string | null }
  /** The key came in the address. A redirect takes it out, and a cookie brings it from now on. */
  | { readonly kind: "welcome"; readonly location: string; readonly cookie: string }
  | { readonly kind: "refused"; readonly status: 403 | 421; readonly message: string };

export type Gate = (req: IncomingMessage, url: URL | undefined) => Access;

/** Random bytes of the key of one run of `inspect`. */
export const accessKeyBytes = 32;

/**
 * P61: lets in requests with the key of the run. Listening on loopback alone keeps out neither other users of
 * the machine nor pages of the web. Such a page may point its own name at 127.0.0.1 (DNS rebinding), or make
 * the visitor's browser send requests to this server.
 */
export function createKeyGate(key: string): Gate {
  return (req, url) => {
    const { host } = req.headers;
    const port = req.socket.localPort ?? 0;
    if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) {
      return refused(421, "This server answers to 127.0.0.1 and localhost only.");
    }
    if (isOfAnotherPage(req)) {
      const how = "Type or paste its address into the address bar instead.";
      return refused(403, `Another page asked for this one. ${how}`);
    }
    const given = url?.pathname === home ? url.searchParams.get("key") : null;
    if (given !== null && isSameSecret(given, key)) {
      // No script can read the cookie, and requests from other sites do not carry it.
      const cookie = `${cookieName(port)}=${key}; Path=/; HttpOnly; SameSite=Strict`;
      return { kind: "welcome", location: home, cookie };
    }
    if (cookiesNamed(req, cookieName(port)).some((value) => isSameSecret(value, key))) {
      return { kind: "granted", user: null };
    }
    return refused(
      403,
      `These pages need the key of this run: open the address that \`partner-programs inspect\` printed,\nhttp://127.0.0.1:${port}/?key=...`,
    );
  };
}

/** Cookies do not depend on the port, so the name contains it, and two servers can be used side by side. */
function cookieName(port: number): string {
  return `partner-programs-${port}`;
}

/** There are several when another server has set a cookie of this name for part of the path. */
function cookiesNamed(req: IncomingMessage, name: string): readonly string[] {
  const pairs = (req.headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return pairs.flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []));
}

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
 * P61: lets in people whom an authenticating proxy names. Anybody who reaches the port can send a name, so
 * the name counts only with the proxy's secret. Each header must come once, since with two values nobody
 * knows which one the proxy set.
 *
 * P63: refuses a request that another page makes a visitor's browser send. `hostNames`: the names that the
 * server answers to, besides IP addresses and `localhost`, which no page of the web can have as its name (DNS
 * rebinding). Following a link is allowed from anywhere, such as a ticket or a login page, since a page that
 * is opened as a page reveals nothing to the page with the link.
 */
export function createProxyGate({ userHeader, secret, hostNames }: ProxyGateOptions): Gate {
  const isOwnHost = createAdminHostCheck(hostNames);
  return (req) => {
    if (!isOwnHost(req.headers.host)) {
      const why = "This server does not know the name that it was asked by.";
      return refused(421, `${why} Whoever runs it can give it with --host-name.`);
    }
    const isOpened =
      req.headers["sec-fetch-mode"] === "navigate" && req.headers["sec-fetch-dest"] === "document";
    if (isOfAnotherPage(req) && !isOpened) {
      return refused(403, "Another page asked for this one. Open it in a window of its own instead.");
    }
    const given = single(req, secretHeader);
    if (given === undefined || !isSameSecret(given, secret)) {
      const why = `(Its ${secretHeader} is missing or wrong.)`;
      return refused(403, `These pages are reached through the proxy that signs people in. ${why}`);
    }
    // Node.js decodes header values as Latin-1.
    const user = Buffer.from(single(req, userHeader) ?? "", "latin1")
      .toString("utf8")
      .trim();
    if (user !== "" && user.length <= 256) return { kind: "granted", user };
    return refused(403, `The proxy did not say who signed in: it has to set ${userHeader}, once.`);
  };
}

function single(req: IncomingMessage, name: string): string | undefined {
  const values = req.headersDistinct[name.toLowerCase()] ?? [];
  return values.length === 1 ? values[0] : undefined;
}

/** Another user's server on another port of this machine is the same site, but another origin. */
function isOfAnotherPage(req: IncomingMessage): boolean {
  const site = req.headers["sec-fetch-site"];
  return site !== undefined && site !== "none" && site !== "same-origin";
}

function refused(status: 403 | 421, message: string): Access {
  return { kind: "refused", status, message: `${message}\n` };
}

/** Compares two secrets in a time that does not depend on where they differ. */
function isSameSecret(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}
