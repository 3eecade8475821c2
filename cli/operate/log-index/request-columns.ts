import type { RequestLogLine } from "../gateway-log/request-line.ts";

/** How many requests a block holds. */
export const rowsPerBlock = 8192;

/** Stands for a limit that the log does not tell. */
const noLimit = 0;

const bytesPerRow = 40;
export const blockBytes = rowsPerBlock * bytesPerRow;

/**
 * A block of requests, each in 40 bytes. The values are stored by column, so that a filter reads one column at a time. Of an id
 * only a digest is stored, so memory does not grow with the ids that clients send. Two ids may share a digest; they are told
 * apart when the line itself is read.
 */
export class RequestColumns {
  /** Milliseconds since 1970. */
  readonly timeMs: Float64Array;
  /** The place of the line in `LineSpool`. */
  readonly lineChunk: Uint32Array;
  readonly lineAt: Uint32Array;
  readonly request: Uint32Array;
  readonly token: Uint32Array;
  readonly tenant: Uint32Array;
  readonly program: Uint32Array;
  readonly limit: Uint32Array;
  readonly status: Uint16Array;
  readonly route: Uint8Array;
  readonly isCut: Uint8Array;
  readonly bytes: Uint8Array;

  constructor() {
    const buffer = new ArrayBuffer(blockBytes);
    let at = 0;
    const next = (bytesPerValue: number): readonly [ArrayBuffer, number, number] => {
      const from = at;
      at += bytesPerValue * rowsPerBlock;
      return [buffer, from, rowsPerBlock];
    };
    this.timeMs = new Float64Array(...next(8));
    this.lineChunk = new Uint32Array(...next(4));
    this.lineAt = new Uint32Array(...next(4));
    this.request = new Uint32Array(...next(4));
    this.token = new Uint32Array(...next(4));
    this.tenant = new Uint32Array(...next(4));
    this.program = new Uint32Array(...next(4));
    this.limit = new Uint32Array(...next(4));
    this.status = new Uint16Array(...next(2));
    this.route = new Uint8Array(...next(1));
    this.isCut = new Uint8Array(...next(1));
    this.bytes = new Uint8Array(buffer);
  }

  put(row: number, line: RequestLogLine, timeMs: number, chunk: number, at: number): void {
    this.timeMs[row] = timeMs;
    this.lineChunk[row] = chunk;
    this.lineAt[row] = at;
    this.request[row] = idDigest(line.requestId);
    this.token[row] = idDigest(line.tokenId);
    this.tenant[row] = idDigest(line.tenantId);
    this.program[row] = idDigest(line.programId);
    this.limit[row] = line.limit ?? noLimit;
    this.status[row] = line.status;
    this.route[row] = routeNumber(line.route);
    this.isCut[row] = line.isCut ? 1 : 0;
  }
}

/** The resources as the gateway names them. */
const logRoutes = ["list", "detail", "legacy", "unknown"] as const;

export function routeNumber(route: string): number {
  const names: readonly string[] = logRoutes;
  return names.indexOf(route) & 0xff;
}

/** FNV-1a, 32 bits, over the code units; 0 stands for no id. */
export function idDigest(id: string | null): number {
  if (id === null) return 0;
  let digest = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) digest = Math.imul(digest ^ id.charCodeAt(at), 0x01000193);
  return digest >>> 0 || 1;
}
