import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { type ApiServer, createApiServer } from "../../../gateway/api-server.ts";
import type { Connection } from "../../../gateway/connections.ts";
import { startGateway } from "../../support/gateway-fixture.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { converse } from "../../support/raw-http.ts";

let api: ApiServer | undefined;

afterEach(() => {
  api?.server.close();
  api?.server.closeAllConnections();
  api = undefined;
});

test("a connection keeps a response until it is over, and no longer", async () => {
  const answering: { readonly connection: Connection; readonly res: ServerResponse }[] = [];
  const { server, connections } = createApiServer({
    maxConnections: 10,
    headersTimeoutMs: 60_000,
    keepAliveTimeoutMs: 60_000,
    handle: (_, res, connection) => {
      answering.push({ connection, res });
    },
    isProxy: undefined,
    legacyHeaders: "",
    onRefusal: () => {},
    onCut: () => {},
  });
  api = { server, connections };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  for (let at = 0; at < 3; at += 1) {
    client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await expect.poll(() => answering.length).toBe(at + 1);
    const { connection, res } = answering[at] ?? expect.fail("no request came in");
    expect(connection.last).toBe(res);
    connections.endIdle();
    res.end("x");
    await once(client, "data");
    await expect.poll(() => connection.last).toBeUndefined();
    expect(connections.count()).toBe(1);
  }
  connections.endIdle();
  await once(client, "close");
});

test("whatever watches responses, as monitoring agents do, sees each answer's own status", async () => {
  const seen: number[] = [];
  const onRequest = (message: unknown): void => {
    const { response } = message as { readonly response: ServerResponse };
    response.on("finish", () => seen.push(response.statusCode));
  };
  subscribe("http.server.request.start", onRequest);
  const acme = issueToken("acme");
  const gateway = await startGateway({
    async fill(store, tokens) {
      await tokens.write([acme]);
      await publishSnapshot(store, "acme", { programIds: ["p1"] });
    },
  });
  const authorized = `Authorization: Bearer ${acme.plaintext}\r\n`;
  for (const [line, headers] of [
    ["GET /v1/programs", authorized],
    ["GET /v1/programs", ""],
    ["GET /v1/programs/none", authorized],
    ["GET /v1/programs/%20", authorized],
    ["POST /v1/programs", authorized],
    ["HEAD /v1/programs", authorized],
    ["GET /v1/programs", `${authorized}Connection: close\r\n`],
  ])
    await converse(gateway.api, { send: `${line} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`, halfClose: true });
  unsubscribe("http.server.request.start", onRequest);
  await gateway.close();
  expect(seen).toEqual([200, 401, 404, 400, 405, 405, 200]);
});
