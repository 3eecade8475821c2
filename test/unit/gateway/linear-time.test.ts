import { describe, expect, test } from "vitest";
import { parseToken } from "../../../core/documents/token.ts";
import { isProgramId } from "../../../core/ground/ids.ts";
import { createAccessLog } from "../../../gateway/beside/access-log.ts";
import { createClientAddresses } from "../../../gateway/request/client-address.ts";
import {
  methodRefusal,
  refusedHead,
  refusedRequestId,
} from "../../../gateway/request/refuse-before-routing.ts";
import {
  createCredentialsReader,
  prefersGzip,
  requestHead,
  requestIdOf,
} from "../../../gateway/request/request-head.ts";
import { decodedSegment, requestTarget } from "../../../gateway/request/request-target.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { sized } from "../../support/quick-pass.ts";

// Twice the input, twice the work. What goes back over its input needs minutes for a megabyte; what does not,
// milliseconds. So the bound can be wide, and still tells the two apart.
const sizes = sized({ whole: [16, 64, 256, 1024], quick: [16, 128] }).map((kib) => kib * 1024);
const maxMs = 2000;

const log = createAccessLog({ write() {} }, "test", 60);
const { clientOf } = createClientAddresses({ entries: [], has: () => true });
const head = (text: string): ReturnType<typeof refusedHead> => refusedHead(Buffer.from(text, "latin1"));

/** All that the gateway does with text of which it knows nothing but that somebody sent it. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  "the id of a refused request": (text) => refusedRequestId(head(text), true),
  "the method of a refused request": (text) => methodRefusal(head(text)),
  "a request id": (text) => requestIdOf([text]),
  "a request target": (text) => requestTarget(text),
  "an id in a path": (text) => isProgramId(decodedSegment(text) ?? ""),
  "the credentials": (text) => createCredentialsReader()([text]),
  "a token": (text) => parseToken(text),
  "the accepted codings": (text) => prefersGzip(text),
  "the forwarded client": (text) => clientOf(["Forwarded", text]),
  "the forwarded clients": (text) => clientOf(["X-Forwarded-For", text]),
  // The lines of a megabyte are enough to tell; making more of them would be what takes the time.
  "header lines of one name": (text) => requestHead(text.split("\n", 50_000).flatMap(namesOf)),
  "the log of a request": (text) =>
    log.refusal({
      requestId: text,
      route: "unknown",
      status: 400,
      cause: { code: "malformed_request", text },
    }),
};

function namesOf(line: string): string[] {
  return ["Authorization", line, "X-Request-Id", line, "Accept-Encoding", line, "Content-Length", line];
}

/**
 * What could make a reader go back: `repeated` between something that suits it and something that does not.
 */
const shapes: readonly (readonly [before: string, repeated: string, after: string])[] = [
  ["GET / HTTP/1.1\r\nX-Request-Id: a", " ", "b\r\n\r\n"],
  ["GET / HTTP/1.1\r\nX-Request-Id: a", " \t", "b\r\n\r\n"],
  ["GET / HTTP/1.1\r\nX-Request-Id:", " ", "\rb"],
  ["GET / HTTP/1.1\r\n", "X-Request-Id: a\r\n", "\r\n"],
  ["GET / HTTP/1.1\r\n", "\r", "\r\n\r\n"],
  ["", "for=10.0.0.1,", "!"],
  ['for="', "\\\\", "!"],
  ["for=", " ", "!"],
  ["", "\r\n", "x"],
  ["", "\n", ""],
  ["", "a ", "\r\n"],
  ["FOO ", "/", " HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["", "F", " / HTTP/1.1\r\n"],
  ["FOO / HTTP/1.1\r\n", "Host: a\r\n", "\r\n"],
  ["FOO / HTTP/1.1\r\nHost: a\r\n", "a", ""],
  ["bearer", " ", "\n"],
  ["Bearer ", "ppr_", "\n"],
  ["Bearer ppr_", "a", "\u00e9"],
  ["http://", "a", "#"],
  ["", "http://a", "?"],
  ["/v1/programs/", "%61", "%"],
  ["/v1/programs/", "a", "\u00e9"],
  ["gzip;", "q=", "0"],
  ["gzip;", " ", "q=1x"],
  ["gzip;q=1", " ", "x"],
  ["gzip;q", "\t", "=1"],
  ["", "gzip;q=0.000;,", "*"],
  ["", ",;", "gzip"],
  ["", "0", "1"],
  ["", "ppr_", ""],
  ["ppr_", "a", "_ppr_"],
  ["", '"\\', ""],
];

describe.each(Object.entries(readers))("W63 %s", (_name, read) => {
  test.each(shapes)(
    "is read in a time like its length: %j, %j many times, %j",
    async (before, repeated, after) => {
      for (const size of sizes) {
        const text = before + repeated.repeat(Math.ceil(size / repeated.length)) + after;
        expect(await cpuMs(() => read(text))).toBeLessThan(maxMs);
      }
    },
  );
});
