import { Agent, request } from "node:https";
import { createSecureContext, type SecureContext } from "node:tls";

/** Where requests go: a proxy with a certificate of its own. */
export interface FrontTarget {
  readonly port: number;
  readonly certificate: string;
}

export interface FrontAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

export interface FrontRequest {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An address of this machine, as a partner's. */
  readonly from?: string;
  readonly agent?: Agent;
}

/** Reading a certificate takes longer than a request, so it is done once. */
const contexts = new Map<string, SecureContext>();

function contextOf(certificate: string): SecureContext {
  const context = contexts.get(certificate) ?? createSecureContext({ ca: certificate });
  contexts.set(certificate, context);
  return context;
}

/** One request through the proxy, by HTTP/1.1 over TLS. */
export function ask({ port, certificate }: FrontTarget, wanted: FrontRequest): Promise<FrontAnswer> {
  const { path, method = "GET", headers = {}, from = "127.0.0.1", agent = false } = wanted;
  return new Promise((resolve, reject) => {
    const req = request(
      {
        host: "127.0.0.1",
        servername: "programs.example.com",
        headers: { Host: `programs.example.com:${port}`, ...headers },
        ...{ port, path, method, localAddress: from, agent, secureContext: contextOf(certificate) },
      },
      (res) => {
        const chunks: Buffer[] = [];
        res.on("data", (chunk: Buffer) => chunks.push(chunk));
        res.on("error", reject);
        res.on("end", () =>
          resolve({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(chunks) }),
        );
      },
    );
    // Longer than a proxy may try.
    req.setTimeout(30_000, () => req.destroy(new Error("no answer")));
    req.on("error", reject);
    req.end();
  });
}

/** What became of the requests of a load, by status or error. */
export type Tally = Readonly<Record<string, number>>;

export interface Load {
  /** So far. */
  readonly tally: Tally;
  /** Resolves when the last answer is in. */
  stop(): Promise<Tally>;
}

/**
 * Six partners, each from an address of its own and with at most one request in 80 ms: half of them over one
 * kept connection, the others over a new one each time.
 */
export function startLoad(target: FrontTarget, path: string, token: string): Load {
  const tally: Record<string, number> = {};
  let isOver = false;
  async function partner(at: number): Promise<void> {
    const agent = at % 2 === 0 ? new Agent({ keepAlive: true, maxSockets: 1 }) : undefined;
    const headers = { Authorization: `Bearer ${token}` };
    const wanted = { path, headers, from: `127.0.1.${at + 1}`, ...(agent === undefined ? {} : { agent }) };
    while (!isOver) {
      const pause = new Promise((resolve) => setTimeout(resolve, 80));
      const outcome = await ask(target, wanted).then(
        ({ status }) => String(status),
        (error: NodeJS.ErrnoException) => error.code ?? error.message,
      );
      tally[outcome] = (tally[outcome] ?? 0) + 1;
      await pause;
    }
    agent?.destroy();
  }
  const partners = Promise.all(Array.from({ length: 6 }, (_, at) => partner(at)));
  return {
    tally,
    async stop() {
      isOver = true;
      await partners;
      return tally;
    },
  };
}
