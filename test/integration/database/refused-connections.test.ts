import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { runCommand } from "../../support/command-line.ts";

const run = promisify(execFile);

/** `SSLRequest` of PostgreSQL's protocol, section 55.7. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

let server: Server | undefined;
afterEach(() => {
  server?.close();
});

/** A server that gets as far as its answer to the first message. Gives the connection string. */
async function serverThat(answers: (socket: Socket, first: Buffer) => void, query: string): Promise<string> {
  const listening = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (first) => answers(socket, first));
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const { port } = listening.address() as AddressInfo;
  return `postgres://u:hunter2@127.0.0.1:${port}/booking${query}`;
}

async function check(databaseUrl: string): Promise<string> {
  const { status, stderr } = await runCommand(["source", "check"], { env: { DATABASE_URL: databaseUrl } });
  expect(status).toBe(1);
  expect(stderr).not.toContain("hunter2");
  return stderr.replaceAll(/\s+/g, " ");
}

/** A key and a certificate that nobody vouches for. */
async function selfSigned(): Promise<{ readonly key: Buffer; readonly cert: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), "certificate-"));
  try {
    const [key, cert] = [join(folder, "key"), join(folder, "cert")];
    const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
    const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    await run("openssl", ["req", ...kind, "-days", "1", ...subject, "-keyout", key, "-out", cert]);
    return { key: await readFile(key), cert: await readFile(cert) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe("a booking database that cannot be used says why, and what to do:", () => {
  test("its certificate is not trusted, and no library warns of sslmode=require", async () => {
    const certificate = await selfSigned();
    const warnings: Error[] = [];
    const listen = (warning: Error): void => void warnings.push(warning);
    process.on("warning", listen);
    const url = await serverThat((socket, first) => {
      expect(first).toEqual(sslRequest);
      socket.write("S");
      new TLSSocket(socket, { isServer: true, ...certificate }).on("error", () => {});
    }, "?sslmode=require");
    // Newer Node.js adds advice of its own to the reason.
    expect(await check(url)).toMatch(
      /certificate is not trusted \(self-signed certificate[^)]*\)\. In DATABASE_URL, sslrootcert=FILE names/,
    );
    process.off("warning", listen);
    expect(warnings).toEqual([]);
  });

  test("it speaks no TLS", async () => {
    const url = await serverThat((socket) => socket.end("N"), "?sslmode=verify-full");
    expect(await check(url)).toMatch(/speaks no TLS\..* remove sslmode/);
  });

  test("it refuses the password", async () => {
    const url = await serverThat((socket) => {
      const fields = 'SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed for user "u"\0\0';
      const message = Buffer.alloc(5 + fields.length);
      message.write("E", 0);
      message.writeInt32BE(4 + fields.length, 1);
      message.write(fields, 5);
      socket.end(message);
    }, "");
    expect(await check(url)).toMatch(/password .*for user "u"\)\. Check DATABASE_URL: .*%23/);
  });
});

test.each(["sslrootcert", "sslcert", "sslkey"])(
  "a file of %s that is not there is a wrong setting",
  async (name) => {
    const DATABASE_URL = `postgres://u:hunter2@127.0.0.1:1/booking?sslmode=verify-full&${name}=/nowhere/file.pem`;
    const { status, stderr } = await runCommand(["source", "check"], { env: { DATABASE_URL } });
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(new RegExp(`DATABASE_URL: ${name} .* /nowhere/file\\.pem \\(ENOENT\\)`)),
    ]);
  },
);
