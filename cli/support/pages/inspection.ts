import type { ObjectStore } from "../../../core/object-store.ts";
import type { RequestLog } from "../../operate/log-index/request-log.ts";
import type { AskedGateway } from "../ask-gateway.ts";
import type { AskedDatabase } from "../asked-database.ts";

/** What the pages are made from: whatever a page needs of the world comes to it through here. */
export interface Inspection {
  readonly store: ObjectStore;
  readonly database: AskedDatabase;
  /** The gateway's logs; without any there are no requests to look at. */
  readonly log?: RequestLog;
  /** What the pages may ask as a partner would; without it nothing is asked. */
  readonly gateway?: AskedGateway;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}
