import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { laterAnswer } from "./later-answers.ts";

/** Stands before a gateway and answers as a later version may: each object has a further field. */
export interface LaterGateway {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startLaterGateway(upstream: string): Promise<LaterGateway> {
  const server = createServer(async (incoming, outgoing) => {
    const { authorization = "" } = incoming.headers;
    const answer = await fetch(upstream + incoming.url, { headers: { authorization } });
    outgoing.writeHead(answer.status, { "content-type": "application/json; charset=utf-8" });
    outgoing.end(JSON.stringify(laterAnswer(await answer.json())));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
