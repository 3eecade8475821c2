import type { Cause } from "../../core/ground/cause-code.ts";
import type { Exchange, Route } from "../request/exchange.ts";
import type { ConnectionRefusal } from "../request/refuse-before-routing.ts";
import type { Outcome } from "../request/respond.ts";

/** Writes one line per request, with a fixed list of fields, in the form of the logger's own lines. */
export type AccessLog = ReturnType<typeof createAccessLog>;

/** `clientOf` is called only for requests that came through a trusted proxy. */
export function createAccessLog(
  destination: { write(line: string): void },
  program: string,
  windowSeconds: number,
  clientOf: (rawHeaders: readonly string[]) => string | undefined = () => undefined,
) {
  const opening = openingClock(program);
  const windowField = `,"windowSeconds":${windowSeconds}`;

  /** The line about a request that no check has seen, without the end of the line. */
  function unread(requestId: string, route: Route, status: number, cause: Cause): string {
    const line = `${opening()}${withoutTokens(requestId)}","route":"${route}","status":${status}`;
    return `${line},"durationMs":0,"bytes":0${causeFields(cause)}`;
  }

  return {
    exchange(exchange: Exchange, { status, bytes, isCut }: Outcome, nowMs: number): void {
      const { requestId, token, route, programId, req, snapshot, objectKey, cause, startedAtMs } = exchange;
      const { connection, nth, acceptsGzip, encoding, quota } = exchange;
      let line = `${opening()}${withoutTokens(requestId)}"`;
      if (token !== undefined) {
        line += `,"tokenId":"${token.tokenId}","tenantId":"${token.tenantId}","limit":${token.limit}${windowField}`;
      }
      line += `,"route":"${route}"`;
      if (programId !== undefined) line += `,"programId":"${withoutTokens(programId)}"`;
      line += `,"method":"${req.method}","status":${status},"durationMs":${milliseconds(nowMs - startedAtMs)},"bytes":${bytes}`;
      if (snapshot !== undefined) line += `,"snapshotId":"${snapshot.manifest.snapshotId}"`;
      // W162: the line says why an answer was old.
      const old = snapshot?.unconfirmed;
      if (old !== undefined) line += `,"unconfirmedSince":"${old.since}","unconfirmedCode":"${old.code}"`;
      if (objectKey !== undefined) line += `,"objectKey":"${objectKey}"`;
      // W80: support can find all requests of one connection.
      line += `,"connection":"${connection.id}","nth":${nth}`;
      // W98: a parsed address needs no escaping.
      const client = connection.isProxied ? clientOf(req.rawHeaders) : undefined;
      if (client !== undefined) line += `,"client":"${client}"`;
      if (acceptsGzip !== undefined) line += `,"acceptsGzip":${acceptsGzip}`;
      if (status === 200 && encoding !== undefined) line += `,"encoding":"${encoding}"`;
      if (status === 429 && quota !== undefined) line += `,"retryAfter":${quota.resetSeconds}`;
      if (cause !== undefined) line += causeFields(cause);
      destination.write(`${line}${isCut ? cutEnding : ending}`);
    },

    /** The HTTP parser refused the request, so little is known but the request id in the answer. */
    refusal({ requestId, route, status, cause }: ConnectionRefusal): void {
      destination.write(`${unread(requestId, route, status, cause)}${ending}`);
    },

    /** The connection was ended without an answer to this request. */
    cut(requestId: string, cause: Cause): void {
      destination.write(`${unread(requestId, "unknown", 400, cause)}${cutEnding}`);
    },
  };
}

/** The connection ended before the response did. */
const cutEnding = ',"isCut":true,"msg":"request"}\n';
const ending = ',"msg":"request"}\n';

/** The text of a cause may hold what JSON escapes; nothing else in a line can. */
function causeFields({ code, text }: Cause): string {
  const json = plainPattern.test(text) ? `"${text}"` : JSON.stringify(text);
  return `,"causeCode":"${code}","cause":${json}`;
}

const plainPattern = /^[\w ,.:;()/-]*$/;

/** Three decimals, made from whole microseconds, because V8 is slow to print a fraction. */
function milliseconds(ms: number): string {
  const micros = Math.round(ms * 1000);
  const rest = micros % 1000;
  const zeros = rest < 10 ? "00" : rest < 100 ? "0" : "";
  return `${(micros - rest) / 1000}.${zeros}${rest}`;
}

/**
 * The id with any token in it replaced. A client may send a token as its request id or as a program id by
 * mistake, and the log must hold no token, not even one whose prefix was typed in another case. For the same
 * reason neither the path nor any header is logged.
 */
function withoutTokens(id: string): string {
  return id.includes("_") ? id.replace(/ppr_[0-9A-Za-z]+/gi, "[token]") : id;
}

/** The beginning of a line. Its text is made once per millisecond, since many requests share one. */
function openingClock(program: string): () => string {
  let atMs = Number.NaN;
  let text = "";
  return () => {
    const nowMs = Date.now();
    if (nowMs !== atMs) {
      atMs = nowMs;
      const time = new Date(nowMs).toISOString();
      text = `{"level":"info","time":"${time}","program":"${program}","requestId":"`;
    }
    return text;
  };
}
