import { createServer, type IncomingHttpHeaders, request } from "node:http";
import { openServer } from "./open-server.ts";

/** A server before the gateway, under a path prefix, that can spoil what passes. */
export type Front = Awaited<ReturnType<typeof startFront>>;

/**
 * What becomes of a request: answered by the gateway, with this status and no JSON, with this, or cut within
 * its body.
 */
export type Fate = "passes" | "cut" | 401 | 403 | 404 | 500 | 503 | Reply;

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export async function startFront(
  gateway: string,
  fate: (count: number, path: string) => Fate | Promise<Fate> = () => "passes",
) {
  const prefix = "/partners/v2";
  const seen: { path: string; headers: IncomingHttpHeaders }[] = [];
  let connections = 0;
  const server = createServer(async (incoming, outgoing) => {
    const path = (incoming.url ?? "").replace(prefix, "");
    seen.push({ path, headers: incoming.headers });
    const decided = incoming.url?.startsWith(prefix) ? await fate(seen.length, path) : 404;
    if (typeof decided === "number") {
      outgoing.writeHead(decided).end("<html>");
      return;
    }
    if (typeof decided === "object") {
      outgoing.writeHead(decided.status, decided.headers).end(decided.body);
      return;
    }
    const { host: _host, connection: _connection, ...headers } = incoming.headers;
    const onward = request(new URL(path, gateway), { headers }, (answer) => {
      const { connection: _hop, ...kept } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 0, kept);
      if (decided === "passes") answer.pipe(outgoing);
      else
        answer.once("data", (chunk: Buffer) =>
          outgoing.write(chunk.subarray(0, 9), () => outgoing.destroy()),
        );
    });
    onward.end();
  });
  server.on("connection", () => (connections += 1));
  const { url, close } = await openServer(server);
  return {
    url: `${url}${prefix}/`,
    seen,
    get connections() {
      return connections;
    },
    close,
  };
}
