import type { IncomingMessage } from "node:http";
import { home } from "../addresses.ts";
import { type Gate, isSameSecret, refused } from "./gate.ts";

/** Random bytes of the key of one run of `inspect`. */
export const accessKeyBytes = 32;

/** The address that lets a browser in. */
export function welcomeAddress(port: number, key: string): string {
  return `http://127.0.0.1:${port}${home}?key=${key}`;
}

/**
 * P61: lets in requests with the key of the run. Listening on loopback alone keeps out neither other users of the machine nor
 * pages of the web. Such a page may point its own name at 127.0.0.1 (DNS rebinding), or make the visitor's browser send requests
 * to this server.
 */
export function createKeyGate(key: string): Gate {
  return (req, url) => {
    const { host } = req.headers;
    const port = req.socket.localPort ?? 0;
    if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) {
      return refused(421, "This server answers to 127.0.0.1 and localhost only.");
    }
    // Another user's server on another port of this machine is the same site, but another origin.
    const origin = req.headers["sec-fetch-site"];
    if (origin !== undefined && origin !== "none" && origin !== "same-origin") {
      return refused(
        403,
        "Another page asked for this one. Type or paste its address into the address bar instead.",
      );
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
  return (req.headers.cookie ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
