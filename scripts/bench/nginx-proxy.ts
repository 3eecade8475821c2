import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { listen } from "../../core/listen.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type BenchServer, runningServer } from "./servers.ts";

/**
 * nginx as a plain proxy with a cache in front of a bucket that anybody can read: one process, no token, no signature, no
 * digest. `undefined` where there is no nginx.
 */
export async function startNginx(upstream: URL, path: string): Promise<BenchServer | undefined> {
  const folder = temporaryFolder("nginx");
  const port = await freePort();
  const config = join(folder, "nginx.conf");
  writeFileSync(config, configuration(folder, port, upstream, path));
  const child = spawn("nginx", ["-p", folder, "-e", join(folder, "error.log"), "-c", config], {
    env: { PATH: `${process.env.PATH}:/usr/sbin` },
    stdio: "ignore",
  });
  const failed = once(child, "error").then(() => true);
  const url = `http://127.0.0.1:${port}`;
  for (;;) {
    if (await Promise.race([failed, delay(50, false)])) return undefined;
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`);
    if (await fetch(url).catch(() => undefined)) break;
  }
  return runningServer(url, child);
}

function configuration(folder: string, port: string, upstream: URL, path: string): string {
  return `
daemon off; master_process off; worker_processes 1;
pid ${folder}/pid; error_log ${folder}/error.log warn;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${folder}/body; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  proxy_temp_path ${folder}/proxy;
  proxy_cache_path ${folder}/cache keys_zone=programs:10m max_size=512m use_temp_path=off;
  upstream store { server ${upstream.host}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    keepalive_requests 1000000;
    location / { return 204; }
    location /v1/ {
      rewrite ^/v1/programs/([^/]+)$ ${path}$1.json break;
      proxy_pass http://store;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host ${upstream.host};
      proxy_set_header Authorization "";
      proxy_cache programs;
      proxy_cache_valid 200 1h;
    }
  }
}
`;
}

async function freePort(): Promise<string> {
  const server = createServer();
  const { port } = new URL(await listen(server, { host: "127.0.0.1", port: 0, setting: "nothing" }));
  server.close();
  return port;
}
