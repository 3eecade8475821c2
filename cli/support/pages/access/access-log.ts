import type { IncomingMessage } from "node:http";
import type { Logger } from "../../../../core/logger.ts";
import { decodedThroughout, tokenFree } from "../../../shell/token-free.ts";

/** What a request came to. */
export interface Visit {
  readonly user: string | null;
  readonly status: number;
  readonly durationMs: number;
  /** Why nobody can be let in, where that is the operator's to mend. */
  readonly cause: string | null;
}

/**
 * P66: one line for each request: who looked at what, and when. Neither the key of the run nor a token that somebody pasted
 * is in it, nor a header: a password may stand where a name belongs, so a name is logged once it is known to be right.
 */
export function logVisit(
  log: Logger,
  req: IncomingMessage,
  { user, status, durationMs, cause }: Visit,
): void {
  const { remoteAddress = null } = req.socket;
  const { method, url = "" } = req;
  const visit = {
    user,
    remoteAddress,
    method,
    target: publicTarget(url),
    status,
    durationMs: Math.round(durationMs),
  };
  if (cause === null) log.info(visit, "visit");
  else log.error({ ...visit, cause }, "visit");
}

/** Without any `key`, however it is encoded: also one that was mistyped is nearly the right one. */
function publicTarget(target: string): string {
  const plain = decodedThroughout(target);
  const shown = plain.replace(/([?&]key=).*/s, "$1…");
  return tokenFree(shown === plain ? target : shown).slice(0, maxTarget);
}

const maxTarget = 1000;
