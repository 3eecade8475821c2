// The yardstick: node:http answering every request with the bytes and headers of a recorded answer. No
// routing, no authentication, no limit, no log.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { listen } from "../../core/process/listen.ts";

interface Recording {
  readonly status: number;
  /** Name, value, name, value, ... */
  readonly headers: readonly string[];
  readonly bodyPath: string;
}

const recordings = JSON.parse(readFileSync(process.env.RECORDINGS ?? "", "utf8")) as Record<
  string,
  Recording
>;
const answers = new Map(
  Object.entries(recordings).map(([name, { status, headers, bodyPath }]) => [
    `/${name}`,
    { status, headers: [...headers], body: readFileSync(bodyPath) },
  ]),
);

const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
  const answer = answers.get(request.url ?? "");
  if (answer === undefined) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(answer.status, answer.headers).end(answer.body);
});
console.log(
  JSON.stringify({ url: await listen(server, { host: "127.0.0.1", port: 0, setting: "nothing" }) }),
);
process.on("SIGTERM", () => process.exit(0));
