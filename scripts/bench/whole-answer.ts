import type { Socket } from "node:net";

/** Waits for the end of the one answer under way; rejects unless it is a 200 with a Content-Length. */
export function wholeAnswer(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = "";
    let left: number | undefined;
    const onData = (chunk: Buffer): void => {
      if (left === undefined) {
        head += chunk.toString("latin1");
        const end = head.indexOf("\r\n\r\n");
        if (end < 0) return;
        const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
        if (!head.startsWith("HTTP/1.1 200 ") || length === undefined) {
          done(new Error(`not a 200 with a length: ${head.slice(0, 200)}`));
          return;
        }
        left = Number(length) - (head.length - end - 4);
      } else left -= chunk.length;
      if (left <= 0) done();
    };
    const onClose = (): void => done(new Error("the server closed the connection"));
    function done(error?: Error): void {
      socket.off("data", onData).off("close", onClose).off("error", done);
      if (error === undefined) resolve();
      else reject(error);
    }
    socket.on("data", onData).on("close", onClose).on("error", done);
  });
}
