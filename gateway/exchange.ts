import type { IncomingMessage, ServerResponse } from "node:http";
import type { Cause } from "../core/cause-code.ts";
import type { ProgramId } from "../core/ids.ts";
import type { ObjectKey } from "../core/object-key.ts";
import type { Connection } from "./connections.ts";
import type { LiveSnapshot } from "./live-snapshot.ts";
import type { Quota } from "./quota.ts";
import type { RequestHead } from "./request-head.ts";
import type { KnownToken } from "./token-table.ts";

/** What a request was for, as logs and metrics name it. */
export type Route = "list" | "detail" | "legacy" | "unknown";

/**
 * One request with its response, and what the checks found out about it on the way. Each check fills in its own
 * part; the responder turns what is known by then into headers, the access log into a line.
 */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly connection: Connection;
  readonly head: RequestHead;
  readonly requestId: string;
  /** Monotonic, ms. */
  readonly startedAtMs: number;
  /** Which request of its connection this is, from 1. */
  readonly nth: number;
  /** The connection ends with this response. */
  closes: boolean;
  route: Route;
  token: KnownToken | undefined;
  /** The well-formed id that a detail was asked for with. */
  programId: ProgramId | undefined;
  quota: Quota | undefined;
  snapshot: LiveSnapshot | undefined;
  objectKey: ObjectKey | undefined;
  /** Whether the client prefers gzip; only of a request that came as far as its answer. */
  acceptsGzip: boolean | undefined;
  /** The content coding of a 200. */
  encoding: "gzip" | "identity" | undefined;
  /** Why the answer is not a 200: for the log, never for the client. */
  cause: Cause | undefined;
}
