import type { ObjectStore } from "../../core/object-store.ts";
import type { RequestLog } from "../log-index/request-log.ts";
import type { CliSettings } from "../shell/shell.ts";
import type { AskedGateway } from "../support/ask-gateway.ts";

/** What the pages are made from: whatever a page needs of the world comes to it through here. */
export interface Inspection {
  readonly store: ObjectStore;
  /** Of the source, too, for those who ask it. */
  readonly settings: CliSettings;
  /** The gateway's logs; without any there are no requests to look at. */
  readonly log?: RequestLog;
  /** What the pages may ask as a partner would; without it nothing is asked. */
  readonly gateway?: AskedGateway;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}
