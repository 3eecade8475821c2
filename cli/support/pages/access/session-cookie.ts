import type { IncomingMessage } from "node:http";

/**
 * The `Set-Cookie` by which a browser is known from now on: no script reads it, no other site has it sent, and behind TLS,
 * as the proxy says, it never goes out without.
 */
export function sessionCookie(req: IncomingMessage, value: string): string {
  const { "x-forwarded-proto": scheme = "", forwarded = "" } = req.headers;
  const isTls = /^https$/i.test(String(scheme)) || /\bproto="?https\b/i.test(forwarded);
  return `${cookieName(req)}=${value}; Path=/; HttpOnly; SameSite=Strict${isTls ? "; Secure" : ""}`;
}

/** What came back of it. Several, where somebody else set one of that name for a part of the path. */
export function sessionCookies(req: IncomingMessage): readonly string[] {
  const begin = `${cookieName(req)}=`;
  return (req.headers.cookie ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(begin))
    .map((pair) => pair.slice(begin.length));
}

/** Cookies know no ports; so that two servers can be open side by side, the name has it. */
function cookieName(req: IncomingMessage): string {
  return `partner-programs-${req.socket.localPort ?? 0}`;
}
