import { createHmac, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { LRUCache } from "lru-cache";
import { asFailure, Failure } from "../../../core/failure.ts";
import { createFailedLogins } from "./failed-logins.ts";
import { createForeignRequestCheck } from "./foreign-request.ts";
import { type Gate, type Refusal, refused } from "./gate.ts";
import type { PasswordFile } from "./password-file.ts";
import { isPassword, type PasswordHash } from "./password-hash.ts";

export interface PasswordGateOptions {
  readonly file: PasswordFile;
  readonly hostNames: readonly string[];
  readonly now: () => Date;
}

/**
 * P64: whoever has a password of the file, by HTTP Basic (RFC 7617). A name that is not in it takes as long as a wrong
 * password. Browsers send the password with every request, and hashing it is slow by design, so that one that was right is
 * known again for some minutes, by a digest under a key of this run.
 */
export function createPasswordGate({ file, hostNames, now }: PasswordGateOptions): Gate {
  const foreign = createForeignRequestCheck(hostNames);
  const failed = createFailedLogins();
  const pepper = randomBytes(32);
  const known = new LRUCache<string, PasswordHash>({ max: 1000, ttl: knownMs });
  let checking = 0;
  return async (req) => {
    const refusal = foreign(req);
    if (refusal !== undefined) return refusal;
    const accounts = await file.accounts().catch(asFailure);
    if (accounts instanceof Failure) {
      const message = "Nobody can sign in at the moment; the log of this server says why.";
      return { ...refused(500, message), cause: accounts.message };
    }
    const credentials = credentialsOf(req);
    if (credentials === undefined) return unknown("These pages need a name and a password.");
    const { name, password } = credentials;
    const account = accounts.get(name);
    const digest = createHmac("sha256", pepper).update(`${name}:${password}`).digest("base64");
    if (account !== undefined && known.get(digest) === account) return { kind: "granted", user: name };
    const attempt = { address: req.socket.remoteAddress ?? "", name };
    const wait = failed.begin(attempt, now().getTime());
    if (wait !== undefined) return tooMany(wait.waitSeconds);
    if (checking >= maxChecking) {
      failed.succeeded(attempt);
      return tooMany(1);
    }
    checking += 1;
    const isRight = await isPassword(password, account ?? nobody).finally(() => {
      checking -= 1;
    });
    if (account === undefined || !isRight) return unknown("The name or the password is wrong.");
    failed.succeeded(attempt);
    known.set(digest, account);
    return { kind: "granted", user: name };
  };
}

const knownMs = 10 * 60_000;
/** Each takes 32 MiB and a thread of four. */
const maxChecking = 8;

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
