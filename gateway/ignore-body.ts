import type { IncomingMessage } from "node:http";

/**
 * W7: calls back when the request's body has been thrown away, or when that takes too long or too much. Answering first
 * would close the connection with unread bytes in it, and the reset that follows can destroy the answer on its way.
 */
export function ignoreBody(req: IncomingMessage, done: () => void): void {
  // A client that asks for permission first waits for our answer before it sends anything.
  if (req.complete || /100-continue/i.test(req.headers.expect ?? "")) {
    done();
    return;
  }
  let seen = 0;
  let isDone = false;
  const timer = setTimeout(finish, maxWaitMs);
  function finish(): void {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    done();
  }
  req.on("data", (chunk: Buffer) => {
    seen += chunk.length;
    if (seen > maxIgnoredBytes) finish();
  });
  req.once("close", finish);
  req.once("end", finish);
}

const maxWaitMs = 500;
const maxIgnoredBytes = 1024 * 1024;
