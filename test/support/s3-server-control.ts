import type { IncomingMessage } from "node:http";
import type { S3Server } from "./s3-server.ts";
import type { FaultRule } from "./s3-server-faults.ts";
import type { S3Response } from "./s3-server-protocol.ts";
import type { S3Quirks } from "./s3-server-quirks.ts";

/** No bucket's name has an underscore, so this path is free. */
const controlPath = "/_control/";

export function isControl(request: IncomingMessage): boolean {
  return request.url?.startsWith(controlPath) === true;
}

/**
 * The server's remote control, for tests in another process: `POST /_control/faults` (a `FaultRule`),
 * `POST /_control/quirks` (a part of `S3Quirks`), `POST /_control/reset`, `GET /_control/log`.
 */
export function controlReply(request: IncomingMessage, body: Buffer, server: S3Server): S3Response {
  switch (`${request.method} ${request.url?.slice(controlPath.length)}`) {
    case "POST faults":
      server.faults.add(JSON.parse(body.toString()) as FaultRule);
      return json(200, {});
    case "POST quirks":
      Object.assign(server.quirks, JSON.parse(body.toString()) as Partial<S3Quirks>);
      return json(200, server.quirks);
    case "POST reset":
      server.reset();
      return json(200, {});
    case "GET log":
      return json(200, server.log);
    default:
      return json(404, { error: "no such control" });
  }
}

function json(status: number, value: unknown): S3Response {
  return {
    status,
    headers: { "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(value)),
  };
}
