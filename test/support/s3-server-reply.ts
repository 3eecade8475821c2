import { once } from "node:events";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { S3Response } from "./s3-server-protocol.ts";

/** Sends the answer without saying how long it is: its end is the end of the connection. */
export function sendDelimited(socket: Socket, reply: S3Response): void {
  socket.end(Buffer.concat([head(reply, true), reply.body]));
}

/** Sends the first half of the answer and ends the connection. */
export async function sendCut(socket: Socket, reply: S3Response, delimited: boolean): Promise<void> {
  await sendHalf(socket, reply, delimited);
  socket.end();
  if (!delimited) socket.destroySoon();
}

/** Sends the first half of the answer, and nothing more until the client hangs up. */
export async function sendStalled(socket: Socket, reply: S3Response): Promise<void> {
  await sendHalf(socket, reply, false);
  if (!socket.destroyed) await once(socket, "close");
}

/** Sends the body byte by byte until the client hangs up; of an answer without one, the head. */
export async function sendDripping(socket: Socket, reply: S3Response): Promise<void> {
  const start = head(reply, false);
  if (reply.body.length > 0) socket.write(start);
  const bytes = reply.body.length === 0 ? start : reply.body;
  for (let at = 0; at < bytes.length && !socket.destroyed; at += 1) {
    socket.write(bytes.subarray(at, at + 1));
    await delay(100);
  }
}

/** Half of the body; of an answer without one, half of its head. */
async function sendHalf(socket: Socket, reply: S3Response, delimited: boolean): Promise<void> {
  const start = head(reply, delimited);
  const { body } = reply;
  const half =
    body.length === 0
      ? start.subarray(0, start.length / 2)
      : Buffer.concat([start, body.subarray(0, body.length / 2)]);
  await new Promise<void>((resolve) => {
    socket.write(half, () => resolve());
  });
}

function head(reply: S3Response, delimited: boolean): Buffer {
  const end = delimited ? { connection: "close" } : { "content-length": String(reply.body.length) };
  const lines = Object.entries({ ...reply.headers, ...end }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status]}\r\n${lines.join("")}\r\n`);
}
