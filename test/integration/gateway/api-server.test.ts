import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { type ApiServer, createApiServer } from "../../../gateway/api-server.ts";
import type { Connection } from "../../../gateway/connections.ts";

let api: ApiServer;

afterEach(() => {
  api.server.close();
  api.server.closeAllConnections();
});

test("a connection keeps a response until it is over, and no longer", async () => {
  const answering: { readonly connection: Connection; readonly res: ServerResponse }[] = [];
  api = createApiServer({
    limits: { maxConnections: 10, headersTimeoutMs: 60_000, keepAliveTimeoutMs: 60_000 },
    handle: (_, res, connection) => {
      answering.push({ connection, res });
    },
    middleware: [],
    isProxy: undefined,
    fail: () => {},
    legacyHeaders: "",
    onRefusal: () => {},
    onCut: () => {},
  });
  api.server.listen(0, "127.0.0.1");
  await once(api.server, "listening");
  const client = connect((api.server.address() as AddressInfo).port, "127.0.0.1");
  for (let at = 0; at < 3; at += 1) {
    client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await expect.poll(() => answering.length).toBe(at + 1);
    const { connection, res } = answering[at] ?? expect.fail("no request came in");
    expect(connection.last).toBe(res);
    api.connections.endIdle();
    res.end("x");
    await once(client, "data");
    await expect.poll(() => connection.last).toBeUndefined();
    expect(api.connections.count()).toBe(1);
  }
  api.connections.endIdle();
  await once(client, "close");
});
