import { createHmac, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { LRUCache } from "lru-cache";
import { createSlots } from "../../../../core/bounded-work.ts";
import { asFailure, Failure } from "../../../../core/failure.ts";
import { createFailedLogins } from "./failed-logins.ts";
import { createForeignRequestCheck } from "./foreign-request.ts";
import { type Access, type Gate, type Refusal, refused } from "./gate.ts";
import type { Accounts } from "./password-file.ts";
import { isPassword, type PasswordHash, passwordHashText } from "./password-hash.ts";
import { sessionCookie, sessionCookies } from "./session-cookie.ts";

export interface PasswordGateOptions {
  /** The accounts at the time of the call. Throws `settings`. */
  readonly readAccounts: () => Promise<Accounts>;
  readonly hostNames: readonly string[];
  readonly now: () => Date;
}

/**
 * P64: lets in people with a password of the file, by HTTP Basic (RFC 7617). An unknown name takes as long as a wrong password.
 *
 * P185: hashing a password is slow by design, and tries are counted. So a right password begins a session, which lasts as long as
 * it is used. The id of a session is a digest of name and password under a key of this run. A browser sends it in a cookie. A
 * browser that sends the password again, such as after a link on another site, gets the same session.
 */
export function createPasswordGate({ readAccounts, hostNames, now }: PasswordGateOptions): Gate {
  const foreign = createForeignRequestCheck(hostNames);
  const failed = createFailedLogins();
  const pepper = randomBytes(32);
  const sessions = new LRUCache<string, Session>({ max: 1000, ttl: maxIdleMs, updateAgeOnGet: true });
  /** The checks under way, by the session that each begins if the password is right. */
  const checks = new Map<string, Promise<boolean>>();
  const slots = createSlots(maxChecking);

  /** Checks a password. Several requests of one person at once share one check. */
  function check(digest: string, password: string, account: PasswordHash): Promise<boolean> {
    const checking = slots("The check of a password", undefined, () => isPassword(password, account));
    const ended = checking.finally(() => checks.delete(digest));
    checks.set(digest, ended);
    return ended;
  }

  return async (req) => {
    const refusal = foreign(req);
    if (refusal !== undefined) return refusal;
    const accounts = await readAccounts().catch(asFailure);
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
      // Credentials with another name than the session's mean that another person signs in.
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
      const waitSeconds = failed.begin(attempt, now().getTime());
      if (waitSeconds !== undefined) return tooMany(waitSeconds);
      checking = check(digest, password, account ?? missingAccount).then((isRight) => {
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
  /** The hash in the person's line of the file when the session began. */
  readonly hash: string;
}

/** A session ends when nobody has used it for this long, such as overnight. */
const maxIdleMs = 12 * 3_600_000;
/** Each check takes 32 MiB and one of Node's four threads. */
const maxChecking = 8;
/** So many different checks under way mean that somebody guesses passwords. */
const maxWaiting = 200;

/** The hash that is compared when there is no account of that name. */
const missingAccount: PasswordHash = { ln: 15, salt: Buffer.alloc(16), hash: Buffer.alloc(32) };

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
