// The yardstick for large bodies: a file piped to every client. No check of what is sent, no authentication, no log.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { listen } from "../../core/listen.ts";

const path = process.env.FILE ?? "";
const { size } = statSync(path);

const server = createServer({ keepAliveTimeout: 75_000 }, (_request, response) => {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": size });
  createReadStream(path).pipe(response);
});
console.log(JSON.stringify({ url: await listen(server, "127.0.0.1", 0) }));
process.on("SIGTERM", () => process.exit(0));
