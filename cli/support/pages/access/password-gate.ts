import { createHmac, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { LRUCache } from "lru-cache";
import { createSlots } from "../../../../core/bounded-work.ts";
import { asFailure, Failure } from "../../../../core/failure.ts";
import { createFailedLogins } from "./failed-logins.ts";
import { createForeignRequestCheck } from "./foreign-request.ts";
import { type Access, type Gate, type Refusal, refused } from "./gate.ts";
import type { PasswordFile } from "./password-file.ts";
import { isPassword, type PasswordHash, passwordHashText } from "./password-hash.ts";
import { sessionCookie, sessionCookies } from "./session-cookie.ts";

export interface PasswordGateOptions {
  readonly file: PasswordFile;
  readonly hostNames: readonly string[];
  readonly now: () => Date;
}

/**
 * P64: whoever has a password of the file, by HTTP Basic (RFC 7617). A name that is not in it takes as long as a wrong
 * password.
 *
 * P185: hashing a password is slow by design, and tries are counted, so that a right one begins a session, which lasts
 * for as long as it is used. A session's name is a digest of name and password under a key of this run: a browser brings it in
 * a cookie, and whoever sends the password again, such as a browser that followed a link of another site, has the same one.
 */
export function createPasswordGate({ file, hostNames, now }: PasswordGateOptions): Gate {
  const foreign = createForeignRequestCheck(hostNames);
  const failed = createFailedLogins();
  const pepper = randomBytes(32);
  const sessions = new LRUCache<string, Session>({ max: 1000, ttl: maxIdleMs, updateAgeOnGet: true });
  /** By the session that each begins if the password is right. */
  const checks = new Map<string, Promise<boolean>>();
  const slots = createSlots(maxChecking);

  /** Several requests of one person at once are one try. */
  function check(digest: string, password: string, account: PasswordHash): Promise<boolean> {
    const checking = slots("The check of a password", undefined, () => isPassword(password, account));
    const ended = checking.finally(() => checks.delete(digest));
    checks.set(digest, ended);
    return ended;
  }

  return async (req) => {
    const refusal = foreign(req);
    if (refusal !== undefined) return refusal;
    const accounts = await file.accounts().catch(asFailure);
    if (accounts instanceof Failure) {
      const message = "Nobody can sign in at the moment; the log of this server says why.";
      return { ...refused(500, message), cause: accounts.message };
    }
    /** The person that the session belongs to, as long as the line of that person in the file stays as it was. */
    const userOf = (digest: string): string | undefined => {
      const session = sessions.get(digest);
      const account = session && accounts.get(session.name);
      return account && passwordHashText(account) === session.hash ? session.name : undefined;
    };
    const credentials = credentialsOf(req);
    for (const cookie of sessionCookies(req)) {
      const user = userOf(cookie);
      // Whoever signs in by another name wants to be somebody else.
      if (user !== undefined && (credentials?.name ?? user) === user) return { kind: "granted", user };
    }
    if (credentials === undefined) return unknown("These pages need a name and a password.");
    const { name, password } = credentials;
    const digest = createHmac("sha256", pepper).update(`${name}:${password}`).digest("base64url");
    const granted: Access = { kind: "granted", user: name, cookie: sessionCookie(req, digest) };
    if (userOf(digest) !== undefined) return granted;
    const account = accounts.get(name);
    let checking = checks.get(digest);
    const attempt = { address: req.socket.remoteAddress ?? "", name };
    if (checking === undefined) {
      if (checks.size >= maxWaiting) return tooMany(1);
      const wait = failed.begin(attempt, now().getTime());
      if (wait !== undefined) return tooMany(wait.waitSeconds);
      checking = check(digest, password, account ?? nobody).then((isRight) => {
        if (isRight && account !== undefined) failed.succeeded(attempt);
        return isRight;
      });
    }
    if (!(await checking) || account === undefined) return unknown("The name or the password is wrong.");
    sessions.set(digest, { name, hash: passwordHashText(account) });
    return granted;
  };
}

interface Session {
  readonly name: string;
  /** The person's password as it was then, as the file has it. */
  readonly hash: string;
}

/** A session ends when nobody has used it for so long: over night. */
const maxIdleMs = 12 * 3_600_000;
/** Each takes 32 MiB and a thread of four. */
const maxChecking = 8;
/** With so many different ones under way, somebody is trying. */
const maxWaiting = 200;

/** What is compared in place of an account that isn't there. */
const nobody: PasswordHash = { ln: 15, salt: Buffer.alloc(16), hash: Buffer.alloc(32) };

function credentialsOf(
  req: IncomingMessage,
): { readonly name: string; readonly password: string } | undefined {
  const { authorization = "" } = req.headers;
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization) ?? [];
  if (encoded === undefined || encoded.length > 2048) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon === -1 ? undefined : { name: text.slice(0, colon), password: text.slice(colon + 1) };
}

function unknown(message: string): Refusal {
  return refused(401, message, { "WWW-Authenticate": 'Basic realm="Partner programs", charset="UTF-8"' });
}

function tooMany(waitSeconds: number): Refusal {
  return refused(429, `Too many tries to sign in. Wait ${waitSeconds} seconds.`, {
    "Retry-After": String(waitSeconds),
  });
}
