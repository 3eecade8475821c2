import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileStore } from "../../core/store/file-store/file-store.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";
import { freePort } from "./free-port.ts";
import { type FrontKind, startFrontProcess } from "./front-process.ts";
import { type GatewayProcess, startGatewayProcess } from "./gateway-process.ts";
import { createTokenFile, type TokenFile } from "./gateway-tokens.ts";

/** Two gateway processes behind a proxy that runs from the file in `deploy/`. */
export type FrontStage = Awaited<ReturnType<typeof startFrontStage>>;

/** Addresses of this machine, as the files have 10.0.0.11 and 10.0.0.12: same ports, as on two machines. */
const gatewayHosts: readonly string[] = ["127.0.0.11", "127.0.0.12"];

export async function startFrontStage(
  kind: FrontKind,
  fill: (store: ObjectStore, tokens: TokenFile) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
) {
  const directory = await mkdtemp(join(tmpdir(), "front-stage-"));
  const store = createFileStore({ directory: join(directory, "store") });
  await fill(store, createTokenFile(store));
  const [apiPort, adminPort] = [await freePort(), await freePort()];
  const start = (host: string, other: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> =>
    startGatewayProcess({
      STORE_URL: `file:${join(directory, "store")}`,
      HOST: host,
      PORT: String(apiPort),
      ADMIN_HOST: host,
      ADMIN_PORT: String(adminPort),
      ...env,
      ...other,
    });
  const gateways = await Promise.all(gatewayHosts.map((host) => start(host)));
  const all = [...gateways];
  const tls = selfSigned(directory);
  const [port, plainPort] = [await freePort(), await freePort()];
  const front = await startFrontProcess({ kind, directory, apiPort, adminPort, port, plainPort, tls });
  return {
    front,
    certificate: await readFile(tls.certificate, "utf8"),
    gateways,
    /** Everything that the gateways of both places have written. */
    gatewayOutput: () => all.map(({ output }) => output()).join(""),
    /**
     * Ends the gateway of that place by SIGTERM and starts another in its place, with these settings in place
     * of the stage's own. Resolves with the exit status when the new one listens.
     */
    async restart(place: number, other?: Readonly<Record<string, string>>) {
      gateways[place]?.signal("SIGTERM");
      const status = await gateways[place]?.ended;
      const next = await start(gatewayHosts[place] ?? "", other);
      gateways[place] = next;
      all.push(next);
      return status ?? Number.NaN;
    },
    async close() {
      await front.stop();
      for (const gateway of gateways) gateway.signal("SIGKILL");
      await Promise.all(gateways.map(({ ended }) => ended));
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Where a certificate and its key are, apart and in one file. */
export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
  readonly both: string;
}

function selfSigned(directory: string): TlsFiles {
  const [certificate, key, both] = ["cert.pem", "key.pem", "both.pem"].map((name) => join(directory, name));
  if (certificate === undefined || key === undefined || both === undefined) throw new Error("no paths");
  const name = "programs.example.com";
  const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  const files = ["-keyout", key, "-out", certificate];
  execFileSync("openssl", ["req", "-x509", "-nodes", "-days", "2", ...curve, ...subject, ...files], {
    stdio: "ignore",
  });
  execFileSync("sh", ["-c", 'cat "$1" "$2" > "$3"', "sh", certificate, key, both]);
  return { certificate, key, both };
}
