import { type PollOptions, poll, type SyncResult } from "./programs-poll.ts";
import { createRequester, type RequestOptions } from "./programs-request.ts";

export { BadOptionError } from "./programs-connection.ts";
export type { SyncResult, Update } from "./programs-poll.ts";
export { type Call, ProgramsApiError } from "./programs-request.ts";
export {
  type CopiedProgram,
  CopyInUseError,
  type DetailFields,
  type ProgramsState,
  type StateStore,
  stateFile,
  stateInMemory,
} from "./programs-state.ts";

export interface ClientOptions extends RequestOptions, PollOptions {}

export interface ProgramsClient {
  /**
   * One poll. Call it every few minutes; a call during another one gets that one's result. Throws when the
   * API gives no list, or refuses the token; what was read is kept.
   */
  sync(): Promise<SyncResult>;
}

/** A client that keeps your copy of one company's programs. */
export function createProgramsClient(options: ClientOptions): ProgramsClient {
  const requester = createRequester(options);
  let underWay: Promise<SyncResult> | undefined;

  async function lockedPoll(): Promise<SyncResult> {
    const release = await options.state.lock?.();
    try {
      return await poll(requester, options);
    } finally {
      release?.();
    }
  }

  return {
    sync() {
      underWay ??= lockedPoll().finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
  };
}
