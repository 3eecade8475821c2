import { createServer } from "node:http";
import { expect, test } from "vitest";
import { createRequester } from "../../../docs/client/programs-request.ts";
import { openServer } from "../../support/open-server.ts";

test("the client for partners starts no pause once its signal is aborted, and asks nothing more", async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    const headers = { "snapshot-id": "20270201T031500Z-0a1b2c3d", ratelimit: '"default";r=0;t=3600' };
    response.writeHead(200, headers).end("{}");
  });
  const { url: baseUrl, close } = await openServer(server);
  try {
    const stop = new AbortController();
    const requester = createRequester({ baseUrl, token: "ppr_any", signal: stop.signal });
    await requester.get("/v1/programs", () => true);
    stop.abort(new Error("the service ends"));
    await expect(requester.get("/v1/programs/a", () => true)).rejects.toThrow("the service ends");
    expect(asked).toBe(1);
  } finally {
    await close();
  }
});
