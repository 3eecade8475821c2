import type { IncomingMessage } from "node:http";

/**
 * The `Set-Cookie` value that identifies a browser from now on. No script can read the cookie, requests from other sites do not
 * carry it, and behind TLS, as the proxy states, it is sent over TLS only.
 */
export function sessionCookie(req: IncomingMessage, value: string): string {
  const { "x-forwarded-proto": scheme = "", forwarded = "" } = req.headers;
  const isTls = /^https$/i.test(String(scheme)) || /\bproto="?https\b/i.test(forwarded);
  return `${cookieName(req)}=${value}; Path=/; HttpOnly; SameSite=Strict${isTls ? "; Secure" : ""}`;
}

/**
 * The values of the cookie in a request. There are several when another server has set a cookie of this name for part of the
 * path.
 */
export function sessionCookies(req: IncomingMessage): readonly string[] {
  const begin = `${cookieName(req)}=`;
  return (req.headers.cookie ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(begin))
    .map((pair) => pair.slice(begin.length));
}

/** Cookies do not depend on the port, so the name contains it, and two servers can be used side by side. */
function cookieName(req: IncomingMessage): string {
  return `partner-programs-${req.socket.localPort ?? 0}`;
}
