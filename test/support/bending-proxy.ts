import { createServer, request, type Server } from "node:http";

/**
 * Stands between Prism and the gateway and sends what Prism would not: `x-bend: post` asks with another method,
 * `x-bend: no-host` leaves out the `Host`. Answers pass as they are.
 */
export interface BendingProxy {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startBendingProxy(upstream: string): Promise<BendingProxy> {
  const server: Server = createServer((incoming, outgoing) => {
    const { "x-bend": bend, host: _host, connection: _connection, ...headers } = incoming.headers;
    const options = {
      method: bend === "post" ? "POST" : "GET",
      setHost: bend !== "no-host",
      headers,
      agent: false,
    };
    const onward = request(new URL(incoming.url ?? "/", upstream), options, (answer) => {
      const { connection: _hop, "transfer-encoding": _coding, ...kept } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 0, kept);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    onward.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not a TCP listener");
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
