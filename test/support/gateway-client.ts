import { Agent, request as httpRequest } from "node:http";
import { patience } from "./patience.ts";

/** An answer, read whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  /** `error.code` of an error answer. */
  readonly code: string | undefined;
}

/** Requests over kept connections, without any of `fetch`'s own headers and retries. */
export interface Client {
  get(path: string, token?: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  close(): void;
}

export function createClient(origin: string): Client {
  const agent = new Agent({ keepAlive: true });
  return {
    get: (path, token, headers = {}) =>
      new Promise((resolve, reject) => {
        const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
        const req = httpRequest(
          `${origin}${path}`,
          { agent, headers: { ...authorization, ...headers } },
          (res) => {
            const chunks: Buffer[] = [];
            res.on("data", (chunk: Buffer) => chunks.push(chunk));
            res.on("error", reject);
            res.on("end", () => {
              const body = Buffer.concat(chunks);
              const status = res.statusCode ?? 0;
              const code = status === 200 ? undefined : JSON.parse(body.toString("utf8")).error.code;
              resolve({ status, headers: flat(res.headers), body, code });
            });
          },
        );
        req.on("error", reject);
        req.end();
      }),
    close: () => agent.destroy(),
  };
}

/** Asks again and again until the condition holds; rejects with what it saw last when it never does. */
export async function eventually<Value>(
  ask: () => Value | Promise<Value>,
  holds: (value: Value) => boolean,
  timeoutMs = patience.timeout,
): Promise<Value> {
  const endsAt = performance.now() + timeoutMs;
  for (;;) {
    const value = await ask();
    if (holds(value)) return value;
    if (performance.now() > endsAt)
      throw new Error(`never came true; last seen ${JSON.stringify(value)?.slice(0, 400)}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function flat(headers: NodeJS.Dict<string | string[]>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]),
  );
}
