import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { TlsFiles } from "./front-stage.ts";
import { eventually } from "./gateway-client.ts";
import { outputOf } from "./run-to-end.ts";

export type FrontKind = "nginx" | "haproxy" | "caddy";

/** A proxy in a process of its own. */
export type FrontProcess = Awaited<ReturnType<typeof startFrontProcess>>;

interface FrontOptions {
  readonly kind: FrontKind;
  /** For its files. */
  readonly directory: string;
  readonly apiPort: number;
  readonly adminPort: number;
  readonly port: number;
  /** For what cannot be put on a socket in the folder. */
  readonly plainPort: number;
  readonly tls: TlsFiles;
}

/** Where Debian's packages put them. */
const programs: Readonly<Record<FrontKind, string>> = {
  nginx: "/usr/sbin/nginx",
  haproxy: "/usr/sbin/haproxy",
  caddy: "/usr/bin/caddy",
};

export function isInstalled(kind: FrontKind): boolean {
  return existsSync(programs[kind]);
}

/**
 * Runs it from its file in `deploy/`, of which nothing but addresses, ports, paths, the user's name and
 * haproxy's patience is replaced.
 */
export async function startFrontProcess(options: FrontOptions) {
  const { kind, directory, port } = options;
  const { file, args, logFile } = prepared[kind](options);
  const child = spawn(programs[kind], args, {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const all = outputOf(child);
  const ended = once(child, "close");
  await eventually(
    () => {
      if (child.exitCode !== null) throw new Error(`${file}: ${all.output}`);
      return accepts(port);
    },
    (isOpen) => isOpen,
  );
  return {
    port,
    /** What it has logged of requests so far. */
    log: () => (logFile === undefined ? all.output : readFileSync(logFile, "utf8")),
    /** All that it has written in its folder, its own files aside, and said. */
    allLogs: () => {
      const files = readdirSync(directory).filter((name) => name.endsWith(".log"));
      return [all.output, ...files.map((name) => readFileSync(join(directory, name), "utf8"))].join("\n");
    },
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

interface Prepared {
  readonly file: string;
  readonly args: readonly string[];
  /** Standard output and error when left out. */
  readonly logFile?: string;
}

const prepared: Readonly<Record<FrontKind, (options: FrontOptions) => Prepared>> = {
  nginx(options) {
    const { directory, port, tls } = options;
    const logFile = join(directory, "access.log");
    const site = written(options, "deploy/nginx/partner-programs.conf", [
      ["listen 443", `listen 127.0.0.1:${port}`],
      ["listen [::]:443", `listen unix:${directory}/tls.sock`],
      ["listen 80", `listen unix:${directory}/plain.sock`],
      ["listen [::]:80", `listen unix:${directory}/plain6.sock`],
      ["/etc/nginx/tls/programs.example.com.pem", tls.certificate],
      ["/etc/nginx/tls/programs.example.com.key", tls.key],
      ["/var/log/nginx/partner-programs.log", logFile],
      ["/var/log/nginx/partner-programs-error.log", join(directory, "site-error.log")],
    ]);
    const file = join(directory, "nginx.conf");
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    writeFileSync(
      file,
      [
        // One process, so that ending it ends all of it.
        "daemon off; master_process off;",
        `pid ${directory}/nginx.pid; error_log ${directory}/error.log info;`,
        "events { worker_connections 1024; }",
        // As Debian's package has it.
        `http { access_log ${directory}/default-access.log; ${temporary.map((name) => `${name}_temp_path ${directory}/${name};`).join(" ")} include ${site}; }`,
      ].join("\n"),
    );
    return { file, args: ["-p", directory, "-e", join(directory, "error.log"), "-c", file], logFile };
  },

  haproxy(options) {
    const { directory, port, tls } = options;
    const { username } = userInfo();
    const file = written(options, "deploy/haproxy/haproxy.cfg", [
      ["log /dev/log local0", "log stdout format raw local0"],
      ["user haproxy\n  group haproxy", `user ${username}`],
      ["bind :443", `bind 127.0.0.1:${port}`],
      ["bind [::]:443 v6only", `bind unix@${directory}/tls.sock`],
      ["bind :80", `bind unix@${directory}/plain.sock`],
      // A machine that is busy with other tests is no gateway that hangs.
      ["timeout check 2s", "timeout check 30s"],
      ["bind [::]:80 v6only", `bind unix@${directory}/plain6.sock`],
      ["/etc/haproxy/tls/programs.example.com.pem", tls.both],
    ]);
    return { file, args: ["-db", "-f", file] };
  },

  caddy(options) {
    const { directory, port, plainPort, tls } = options;
    const logFile = join(directory, "access.log");
    const file = written(options, "deploy/caddy/Caddyfile", [
      ["admin localhost:2019", `admin unix/${directory}/admin.sock`],
      ["https://programs.example.com", `https://programs.example.com:${port}`],
      ["http://programs.example.com", `http://programs.example.com:${plainPort}`],
      ["/etc/caddy/tls/programs.example.com.pem", tls.certificate],
      ["/etc/caddy/tls/programs.example.com.key", tls.key],
      ["/var/log/caddy/partner-programs.log", logFile],
    ]);
    return { file, args: ["run", "--adapter", "caddyfile", "--config", file], logFile };
  },
};

/** A copy with these replacements, each of which has to have something to replace. */
function written(
  { directory, apiPort, adminPort }: FrontOptions,
  path: string,
  replacements: readonly (readonly [from: string, to: string])[],
): string {
  const gateways = [
    ["10.0.0.11:8080", `127.0.0.11:${apiPort}`],
    ["10.0.0.12:8080", `127.0.0.12:${apiPort}`],
    ...(path.includes("nginx") ? [] : [["port 9090", `port ${adminPort}`]]),
  ] as const;
  let text = readFileSync(path, "utf8").replaceAll(/^\s*#.*\n/gm, "");
  for (const [from = "", to = ""] of [...replacements, ...gateways]) {
    if (!text.includes(from)) throw new Error(`${path} does not say ${from}`);
    text = text.replaceAll(from, to);
  }
  const file = join(directory, "front.conf");
  writeFileSync(file, text);
  return file;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
