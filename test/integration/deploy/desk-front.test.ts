import { spawn } from "node:child_process";
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
  let url: string;
  let seen: IncomingHttpHeaders = {};
  let stop: () => Promise<void>;

  beforeAll(async () => {
    // Answers as oauth2-proxy does when a session is an hour old: signed in, and here is the session's next cookie.
    const signIn = await listening(servers, (req, res) => {
      const headers = {
        "X-Auth-Request-Email": "ada@example.com",
        "Set-Cookie": "__Host-inspect=next; Path=/",
      };
      res.writeHead(req.url === "/oauth2/auth" ? 202 : 404, headers).end();
    });
    const pages = await listening(servers, (req, res) => {
      seen = req.headers;
      res.end("a page");
    });
    const port = await freePort();
    url = `http://127.0.0.1:${port}/`;
    stop = await startNginx(directory, [
      ["listen 443 ssl http2;", `listen 127.0.0.1:${port};`],
      ["listen [::]:443 ssl http2;", ""],
      ["ssl_certificate /etc/nginx/tls/desk.example.com.pem;", ""],
      ["ssl_certificate_key /etc/nginx/tls/desk.example.com.key;", ""],
      ["http://127.0.0.1:4180", signIn],
      ["http://127.0.0.1:7878", pages],
      ["/etc/nginx/partner-programs-inspect.secret.conf", join(directory, "secret.conf")],
    ]);
    await eventually(
      () =>
        fetch(url)
          .then(({ ok }) => ok)
          .catch(() => false),
      (isThere) => isThere,
    );
  });

  afterAll(async () => {
    await stop?.();
    for (const server of servers) server.close();
    rmSync(directory, { recursive: true });
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

async function listening(servers: Server[], listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** With nothing but addresses and paths replaced; each has to be there. */
async function startNginx(
  directory: string,
  replacements: readonly (readonly [from: string, to: string])[],
): Promise<() => Promise<void>> {
  let site = readFileSync(join(projectRoot, "deploy/inspect/nginx.conf"), "utf8");
  for (const [from, to] of replacements) {
    expect(site).toContain(from);
    site = site.replaceAll(from, to);
  }
  writeFileSync(join(directory, "secret.conf"), 'proxy_set_header X-Inspect-Secret "known";\n');
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
