import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { isInstalled } from "../../support/front-process.ts";
import { eventually } from "../../support/gateway-client.ts";
import { projectRoot } from "../../support/markdown.ts";

const isMissing = !isInstalled("nginx");

describe.skipIf(isMissing)(`nginx in front of the pages${isMissing ? " (not installed)" : ""}`, () => {
  const servers: Server[] = [];
  const directory = mkdtempSync(join(tmpdir(), "desk-front-"));
  const stops: (() => Promise<void>)[] = [];
  let replacements: readonly (readonly [from: string, to: string])[];
  let seen: IncomingHttpHeaders = {};

  beforeAll(async () => {
    const pages = await listening(servers, (req, res) => {
      seen = req.headers;
      res.end("a page");
    });
    replacements = [
      ["listen [::]:443 ssl http2;", ""],
      ["ssl_certificate /etc/nginx/tls/desk.example.com.pem;", ""],
      ["ssl_certificate_key /etc/nginx/tls/desk.example.com.key;", ""],
      ["http://127.0.0.1:7878", pages],
      ["/etc/nginx/partner-programs-inspect.secret.conf", join(directory, "secret.conf")],
    ];
    writeFileSync(join(directory, "secret.conf"), 'proxy_set_header X-Inspect-Secret "known";\n');
  });

  afterAll(async () => {
    for (const stop of stops) await stop();
    for (const server of servers) server.close();
    rmSync(directory, { recursive: true });
  });

  /** Starts nginx with the file. Nothing but addresses and paths are replaced, and each has to be there. */
  async function started(
    name: string,
    status: number,
    ...more: readonly (readonly [string, string])[]
  ): Promise<string> {
    const port = await freePort();
    let site = readFileSync(join(projectRoot, "deploy/inspect", name), "utf8");
    const listen = ["listen 443 ssl http2;", `listen 127.0.0.1:${port};`] as const;
    for (const [from, to] of [listen, ...replacements, ...more]) {
      expect(site).toContain(from);
      site = site.replaceAll(from, to);
    }
    stops.push(startNginx(mkdtempSync(join(directory, "nginx-")), site));
    const url = `http://127.0.0.1:${port}/`;
    await eventually(
      () =>
        fetch(url).then(
          (answer) => answer.status,
          () => 0,
        ),
      (found) => found === status,
    );
    return url;
  }

  describe("with oauth2-proxy", () => {
    let url: string;

    beforeAll(async () => {
      // Answers as oauth2-proxy does when a session is an hour old: signed in, and here is the session's next
      // cookie.
      const signIn = await listening(servers, (req, res) => {
        const headers = {
          "X-Auth-Request-Email": "ada@example.com",
          "Set-Cookie": "__Host-inspect=next; Path=/",
        };
        res.writeHead(req.url === "/oauth2/auth" ? 202 : 404, headers).end();
      });
      url = await started("nginx.conf", 200, ["http://127.0.0.1:4180", signIn]);
    });

    test("names who signed in, with the secret, whatever the browser sends", async () => {
      await fetch(url, { headers: { "X-Signed-In": "eve", "X-Inspect-Secret": "guess", Cookie: "session" } });
      expect([seen["x-signed-in"], seen["x-inspect-secret"], seen.cookie]).toEqual([
        "ada@example.com",
        "known",
        undefined,
      ]);
    });

    test("hands a renewed session on: with the old one each page would renew it again, until the login refuses", async () => {
      const answer = await fetch(url);
      expect(answer.headers.getSetCookie()).toEqual(["__Host-inspect=next; Path=/"]);
    });
  });

  test("with names and passwords: asks for them, names who signed in, and passes no password on", async () => {
    const passwords = join(directory, "passwords");
    const hash = spawnSync("openssl", ["passwd", "-6", "correct horse battery"], { encoding: "utf8" }).stdout;
    writeFileSync(passwords, `ada:${hash}`);
    const url = await started("nginx-basic-auth.conf", 401, [
      "/etc/nginx/partner-programs-inspect.passwords",
      passwords,
    ]);
    const ask = async (name: string, password: string): Promise<number> => {
      const Authorization = `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;
      const headers = { Authorization, "X-Signed-In": "eve", "X-Inspect-Secret": "guess", Cookie: "session" };
      return (await fetch(url, { headers })).status;
    };
    expect(await ask("ada", "wrong")).toBe(401);
    expect(await ask("eve", "correct horse battery")).toBe(401);
    expect(await ask("ada", "correct horse battery")).toBe(200);
    const { "x-signed-in": user, "x-inspect-secret": secret, authorization, cookie } = seen;
    expect([user, secret, authorization, cookie]).toEqual(["ada", "known", undefined, undefined]);
  });
});

async function listening(servers: Server[], listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function startNginx(directory: string, site: string): () => Promise<void> {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${directory}/${name};`)
    .join(" ");
  const file = join(directory, "nginx.conf");
  const main = `daemon off; master_process off; pid ${directory}/pid; events {}`;
  writeFileSync(file, `${main} http { ${temporary} access_log off; ${site} }`);
  const child = spawn("/usr/sbin/nginx", ["-p", directory, "-e", join(directory, "error.log"), "-c", file]);
  const ended = once(child, "close");
  return async () => {
    child.kill("SIGKILL");
    await ended;
  };
}
