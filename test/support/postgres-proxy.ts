import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** How a session ends: the server says so, the connection is closed without a word, or it is torn down. */
export type Ending = "fatal" | "close" | "reset";

/** The moment at which a session is ended. */
export interface Moment {
  /** `<connect>`: a connection arrives. `<startup>`: it says who it is. Else a part of that, or of a query's text, or `<X>` for the farewell. */
  readonly at: string;
  /** `before` it reaches the server, `during` its answer (behind the first row), or in one packet `with` the answer's end. */
  readonly when: "before" | "during" | "with";
  readonly ending: Ending;
}

/** A hop to a real PostgreSQL that ends a session at a chosen moment of its protocol. */
export interface PostgresProxy {
  /** The target's URL, by way of the proxy. */
  readonly url: string;
  /** Ends the first session for which the moment comes; the others pass. Resolves when it has come. */
  arm(moment: Moment): Promise<void>;
  close(): Promise<void>;
}

export async function startPostgresProxy(target: string): Promise<PostgresProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let armed: { readonly moment: Moment; readonly fire: () => void } | undefined;

  const server = createServer((near) => {
    const far = connect({ host: hostname, port: Number(port) });
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    /** Of the query that is being answered. */
    let awaited: "during" | "with" | undefined;
    let endsWith: Ending | undefined;
    const finish = (ending: Ending, last: Buffer): void => {
      far.destroy();
      near.removeAllListeners("close");
      if (ending === "reset") near.resetAndDestroy();
      else near.end(Buffer.concat([last, ...(ending === "fatal" ? [farewell] : [])]));
    };
    /** Whether the session goes on. */
    const passes = (event: string): boolean => {
      if (armed === undefined || !event.includes(armed.moment.at)) return true;
      const { moment, fire } = armed;
      armed = undefined;
      fire();
      if (moment.when === "before") {
        finish(moment.ending, Buffer.alloc(0));
        return false;
      }
      [awaited, endsWith] = [moment.when, moment.ending];
      return true;
    };
    if (!passes("<connect>")) return;
    const asked = messages((type, message) => {
      const text = message.toString("latin1");
      if (passes({ "": `<startup> ${text}`, Q: text, P: text }[type] ?? `<${type}>`)) far.write(message);
    }, true);
    const answered = messages((type, message) => {
      if (near.writableEnded || near.destroyed) return;
      const isEnd = (awaited === "during" && type === "D") || (awaited !== undefined && type === "Z");
      if (isEnd && endsWith !== undefined) finish(endsWith, message);
      else near.write(message);
    }, false);
    near.on("data", asked);
    far.on("data", answered);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not a TCP server");
  const url = new URL(target);
  url.host = `127.0.0.1:${address.port}`;
  return {
    url: url.href,
    arm: (moment) =>
      new Promise((resolve) => {
        armed = { moment, fire: resolve };
      }),
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** Cuts a stream of the protocol into its messages; the first one of a client has no type. */
function messages(
  take: (type: string, message: Buffer) => void,
  beginsUntyped: boolean,
): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let isUntyped = beginsUntyped;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const at = isUntyped ? 0 : 1;
      if (rest.length < at + 4) return;
      const end = at + rest.readUInt32BE(at);
      if (rest.length < end) return;
      const message = rest.subarray(0, end);
      rest = rest.subarray(end);
      const type = isUntyped ? "" : String.fromCharCode(message[0] ?? 0);
      isUntyped = false;
      take(type, message);
    }
  };
}

/** ErrorResponse: what a server says that an administrator shuts down. */
const farewell = errorResponse({
  S: "FATAL",
  V: "FATAL",
  C: "57P01",
  M: "terminating connection due to administrator command",
});

function errorResponse(fields: Readonly<Record<string, string>>): Buffer {
  const body = `${Object.entries(fields)
    .map(([key, value]) => `${key}${value}\0`)
    .join("")}\0`;
  const message = Buffer.alloc(5 + body.length);
  message.write("E", 0, "latin1");
  message.writeUInt32BE(4 + body.length, 1);
  message.write(body, 5, "latin1");
  return message;
}
