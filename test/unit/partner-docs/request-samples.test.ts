import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from "node:http";
import { expect, test } from "vitest";
import { requestSamples } from "../../../cli/partners/folder/request-samples.ts";
import { hasPython } from "../../support/python-client.ts";
import { runToEnd } from "../../support/run-to-end.ts";

const token = "ppr_any";
const runs: readonly (readonly [language: string, command: readonly string[], isThere: boolean])[] = [
  ["sh", ["sh", "-c"], true],
  ["python", ["python3", "-c"], hasPython],
  ["ts", [process.execPath, "--input-type=module", "--eval"], true],
];

async function listening(
  answer: RequestListener,
): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not a TCP listener");
  return { server, url: `http://127.0.0.1:${address.port}` };
}

test.each(runs.filter(([, , isThere]) => isThere))(
  "the sample in %s sends the token to the base address, and to no host that a redirect names",
  async (language, [program = "", ...options]) => {
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
      const code = requestSamples(api.url, "/v1/programs").find(
        (sample) => sample.language === language,
      )?.code;
      await runToEnd(program, [...options, code ?? ""], { PARTNER_TOKEN: token });
      expect(here.map(({ authorization }) => authorization)).toEqual([`Bearer ${token}`]);
      expect(elsewhere.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
    } finally {
      for (const { server } of [other, api]) {
        server.close();
        server.closeAllConnections();
      }
    }
  },
);
