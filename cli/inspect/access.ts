import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { home } from "./addresses.ts";

/** What is to be done with a request before anything is looked at for it. */
export type Access =
  | { readonly kind: "granted" }
  /** The key came in the address: from now on it comes in a cookie, and the address bar forgets it. */
  | { readonly kind: "welcome"; readonly location: string; readonly cookie: string }
  | { readonly kind: "refused"; readonly status: 403 | 421; readonly message: string };

/** Random bytes of the key of one run of `inspect`. */
export const accessKeyBytes = 32;

/** The address that lets a browser in. */
export function welcomeAddress(port: number, key: string): string {
  return `http://127.0.0.1:${port}${home}?key=${key}`;
}

/**
 * Who may see the pages: whoever was given the key. Loopback alone keeps out neither other users of the machine, nor pages
 * of the web, which may point a name of their own at 127.0.0.1 (DNS rebinding) or have the visitor's browser ask for an
 * address of this server.
 */
export function accessOf(req: IncomingMessage, url: URL | undefined, key: string): Access {
  const { host } = req.headers;
  const port = req.socket.localPort ?? 0;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) {
    return {
      kind: "refused",
      status: 421,
      message: "This server answers to 127.0.0.1 and localhost only.\n",
    };
  }
  // A server of somebody else on another port of this machine is the same site, but another origin.
  const origin = req.headers["sec-fetch-site"];
  if (origin !== undefined && origin !== "none" && origin !== "same-origin") {
    const message =
      "Another page asked for this one. Type or paste its address into the address bar instead.\n";
    return { kind: "refused", status: 403, message };
  }
  const given = url?.pathname === home ? url.searchParams.get("key") : null;
  if (given !== null && isSame(given, key)) {
    const cookie = `${cookieName(port)}=${key}; Path=/; HttpOnly; SameSite=Strict`;
    return { kind: "welcome", location: home, cookie };
  }
  if (cookieValues(req.headers.cookie ?? "", cookieName(port)).some((value) => isSame(value, key))) {
    return { kind: "granted" };
  }
  const message = `These pages need the key of this run: open the address that \`partner-programs inspect\` printed,\nhttp://127.0.0.1:${port}/?key=...\n`;
  return { kind: "refused", status: 403, message };
}

/** Cookies know no ports; so that two servers can be open side by side, the name has it. */
function cookieName(port: number): string {
  return `partner-programs-${port}`;
}

function cookieValues(header: string, name: string): readonly string[] {
  return header
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

/** In a time that says nothing about where the two differ. */
function isSame(given: string, key: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(key));
}
