// A server of `still-pays.ts`: Express and the gateway's own parts around one answer, but for the part named by WITHOUT.
import { createServer, IncomingMessage, ServerResponse } from "node:http";
import { listen } from "../../core/listen.ts";
import { createApp, messageClasses } from "../../gateway/app.ts";
import { atEndOfTurn } from "../../gateway/end-of-turn.ts";
import { createWholeSender } from "../../gateway/send-whole.ts";

const without = process.env.WITHOUT;
const body = Buffer.from(JSON.stringify({ data: "x".repeat(2000) }));
const headers = `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\n`;
const keepAliveTimeoutMs = 75_000;

const send = createWholeSender({ keepAliveTimeoutMs, isAlone: without !== "heads as they are" });
const answer = (res: ServerResponse): void => {
  send(res, { status: 200, headers, body, closes: false });
};
const handle = without === "end of turn" ? answer : atEndOfTurn(answer);
const app = createApp([], (_req, res) => handle(res));
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
