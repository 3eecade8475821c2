// A server of `still-pays.ts`: Express and the gateway's own parts around one answer, but for the part named by WITHOUT.
import { createServer, IncomingMessage, ServerResponse } from "node:http";
import { listen } from "../../core/listen.ts";
import { createApp, messageClasses } from "../../gateway/api-server.ts";
import { headerList } from "../../gateway/response-headers.ts";
import { createAnswerSender } from "../../gateway/send-answer.ts";

const without = process.env.WITHOUT;
const body = Buffer.from(JSON.stringify({ data: "x".repeat(2000) }));
const headers = `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\n`;
const keepAliveTimeoutMs = 75_000;

const send = createAnswerSender(keepAliveTimeoutMs);
const app = createApp((_req, res) => {
  if (without === "one write per answer") res.writeHead(200, headerList(headers)).end(body);
  else send(res, { status: 200, headers, body, closes: false });
});
const { Request, Response } =
  without === "matched prototypes"
    ? { Request: IncomingMessage, Response: ServerResponse }
    : messageClasses(app, () => {});
const server = createServer(
  { IncomingMessage: Request, ServerResponse: Response, keepAliveTimeout: keepAliveTimeoutMs },
  app,
);
console.log(JSON.stringify({ url: await listen(server, "127.0.0.1", 0) }));
process.on("SIGTERM", () => process.exit(0));
