import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test as plainTest } from "vitest";
import { requestSamples } from "../../../cli/partners/folder/request-samples.ts";
import { hasPython } from "../../support/python-client.ts";
import { runToEnd } from "../../support/run-to-end.ts";

const token = "ppr_any";
const runs = [
  ["sh", (code: string) => ["sh", "-c", code], true],
  ["python", (code: string) => ["python3", "-c", code], hasPython],
  ["ts", (code: string) => [process.execPath, "--input-type=module", "--eval", code], true],
] as const;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "request-samples-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function listening(answer: RequestListener) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not a TCP listener");
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${address.port}`, close };
}

describe.each(runs)("the sample in %s", (language, commandOf, isThere) => {
  const test = plainTest.skipIf(!isThere);

  async function run(baseUrl: string) {
    const sample = requestSamples(baseUrl, "/v1/programs").find((one) => one.language === language);
    const [program = "", ...args] = await commandOf(sample?.code ?? "");
    return await runToEnd(program, args, { PARTNER_TOKEN: token, HOME: directory });
  }

  test("sends the token to the base address, and to no host that a redirect names", async () => {
    const here: IncomingHttpHeaders[] = [];
    const elsewhere: IncomingHttpHeaders[] = [];
    const other = await listening(({ headers }, response) => {
      elsewhere.push(headers);
      response.end("{}");
    });
    const api = await listening(({ headers }, response) => {
      here.push(headers);
      response.writeHead(302, { location: other.url }).end();
    });
    try {
      await run(api.url);
      expect(here.map(({ authorization }) => authorization)).toEqual([`Bearer ${token}`]);
      expect(elsewhere.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
    } finally {
      other.close();
      api.close();
    }
  });

  test("shows an answer, and of a refusal the status and the request, without a stack", async () => {
    let status = 200;
    const api = await listening((_request, response) => {
      response.writeHead(status, { "x-request-id": "r-1" }).end('{"data":"all"}');
    });
    try {
      const answered = await run(api.url);
      expect([answered.status, answered.output]).toEqual([0, expect.stringContaining("all")]);
      status = 404;
      const refused = await run(api.url);
      expect(refused.status).toBeGreaterThan(0);
      // curl shows what the API said, which names the request, too.
      expect(refused.output).toContain(language === "sh" ? '"data"' : "404, request r-1");
      expect(refused.output).not.toMatch(/Traceback|goroutine|^ +at /m);
    } finally {
      api.close();
    }
  });
});
