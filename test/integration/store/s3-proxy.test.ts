import { createServer, request as httpRequest } from "node:http";
import { afterAll, expect, test } from "vitest";
import { key } from "../../support/object-store-probes.ts";
import { type StoreProcess, startStoreProcess } from "../../support/object-store-process.ts";
import { openServer } from "../../support/open-server.ts";
import { startS3Server, testBucket } from "../../support/s3-server.ts";

const server = await startS3Server();
/** A forward proxy, which knows where the store really is. */
const asked: string[] = [];
const proxy = createServer((request, response) => {
  asked.push(request.url ?? "");
  const { pathname, search } = new URL(request.url ?? "");
  const { port } = new URL(server.endpoint);
  const { method, headers } = request;
  const onward = httpRequest(
    { host: "127.0.0.1", port, path: pathname + search, method, headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  request.pipe(onward);
});
const { port, close } = await openServer(proxy);
afterAll(async () => {
  await close();
  await server.close();
});

const env = {
  ...process.env,
  ...server.env,
  NODE_USE_ENV_PROXY: "1",
  HTTP_PROXY: `http://127.0.0.1:${port}`,
};
/** Node.js 20 knows no proxy, and neither does the driver then. */
const knowsProxies = process.allowedNodeEnvironmentFlags.has("--use-env-proxy");

function put(environment: Readonly<Record<string, string>>): StoreProcess {
  const options = { bucket: testBucket, prefix: "", forcePathStyle: true, timeoutMs: 20_000 };
  const task = { kind: "put_absent", key: key("a.json"), text: "{}" } as const;
  server.reset();
  return startStoreProcess({ kind: "s3", ...options }, task, { ...env, ...environment });
}

test("P189: the store is reached through the proxies of the environment where Node.js knows them", async () => {
  const AWS_ENDPOINT_URL_S3 = "http://store.invalid";
  const { output } = put({ AWS_ENDPOINT_URL_S3 });
  if (!knowsProxies) return await expect(output).rejects.toThrow("ENOTFOUND");
  expect([await output, asked]).toEqual(["stored\n", ["http://store.invalid/programs/a.json"]]);
});

test("P189: NO_PROXY names the stores that are reached directly", async () => {
  asked.length = 0;
  expect([await put({ NO_PROXY: "127.0.0.1" }).output, asked]).toEqual(["stored\n", []]);
});
