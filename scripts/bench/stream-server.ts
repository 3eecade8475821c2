// The yardstick for large bodies: a file piped to every client. No check of what is sent, no authentication, no log.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";

const path = process.env.FILE ?? "";
const { size } = statSync(path);

const server = createServer({ keepAliveTimeout: 75_000 }, (_request, response) => {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": size });
  createReadStream(path).pipe(response);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address === null || typeof address === "string") return;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${address.port}` })}\n`);
});
process.on("SIGTERM", () => process.exit(0));
