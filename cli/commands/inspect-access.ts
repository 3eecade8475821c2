import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { Failure } from "../../core/failure.ts";
import type { Shell } from "../shell/shell.ts";
import {
  accessKeyBytes,
  createKeyGate,
  createProxyGate,
  type Gate,
  secretHeader,
  welcomeAddress,
} from "../support/pages/access.ts";

/** The options of `inspect` that say who may see the pages. */
interface AccessFlags {
  readonly listen: string | undefined;
  readonly hostName: readonly string[] | undefined;
  readonly userHeader: string | undefined;
  readonly proxySecretFile: string | undefined;
}

/** The address on which `inspect` listens, and the gate that admits its users. */
export interface InspectAccess {
  readonly host: string;
  readonly gate: Gate;
  /** Whether a team uses the pages, or only the person who started the command. */
  readonly isShared: boolean;
  /** The text that tells who can open which address. */
  readonly invitation: (port: number) => string;
}

export const loopback = "127.0.0.1";

/** The access that the options ask for. Throws `usage` for options that would let everybody in (P61). */
export async function inspectAccess(flags: AccessFlags, shell: Shell): Promise<InspectAccess> {
  const { listen: host = loopback, hostName = [], userHeader, proxySecretFile } = flags;
  if (userHeader !== undefined) {
    const secret = await proxySecret(proxySecretFile);
    checkUserHeader(userHeader);
    const gate = createProxyGate({ userHeader, secret, hostNames: [host, ...hostName] });
    const address = isIP(host) === 6 ? `[${host}]` : host;
    const invitation = (port: number) => `http://${address}:${port}/, for the proxy that signs people in`;
    return { host, gate, isShared: true, invitation };
  }
  if (proxySecretFile !== undefined) {
    throw new Failure("usage", "--proxy-secret-file goes with --user-header NAME, which says who signed in.");
  }
  if (host !== loopback || hostName.length > 0) {
    throw new Failure(
      "usage",
      "--listen and --host-name are for a team, which has to sign in: add --user-header NAME and --proxy-secret-file FILE, and put a proxy that authenticates in front.",
    );
  }
  const key = Buffer.from(shell.randomBytes(accessKeyBytes)).toString("base64url");
  const invitation = (port: number) => welcomeAddress(port, key);
  return { host, gate: createKeyGate(key), isShared: false, invitation };
}

function checkUserHeader(name: string): void {
  const isTaken = ["authorization", "cookie", "host", secretHeader.toLowerCase()].includes(
    name.toLowerCase(),
  );
  if (isTaken || !/^[A-Za-z0-9-]{1,64}$/.test(name)) {
    throw new Failure("usage", `--user-header ${name} can't name a person; for example X-Forwarded-Email.`);
  }
}

/** The secret in the file, without white space around it. */
async function proxySecret(path: string | undefined): Promise<string> {
  if (path === undefined) {
    throw new Failure(
      "usage",
      `--user-header needs --proxy-secret-file FILE: what the proxy sends as ${secretHeader}, or anybody who reaches the port could send a name.`,
    );
  }
  const secret = await readFile(path, "utf8").catch((error: unknown) => {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new Failure("usage", `--proxy-secret-file ${path} can't be read (${code}).`, { cause: error });
  });
  const { length } = secret.trim();
  if (!/^[\x21-\x7e]+$/.test(secret.trim()) || length < 32 || length > 512) {
    throw new Failure(
      "usage",
      `${path} has to hold 32 to 512 characters without spaces: \`(umask 077; openssl rand -hex 32 > ${path})\`.`,
    );
  }
  return secret.trim();
}
