import type { IncomingMessage } from "node:http";
import type { Logger } from "../../../../core/logger.ts";
import { decodedThroughout, tokenFree } from "../../../shell/token-free.ts";
import type { Access } from "./gate.ts";

/**
 * P66: logs one line for each request: who looked at what, and when. The line holds neither the key of the run nor a token that
 * somebody pasted, and no header. A name is logged only when the gate has granted the request.
 */
export function logVisit(
  log: Logger,
  req: IncomingMessage,
  access: Access,
  { status, durationMs }: { readonly status: number; readonly durationMs: number },
): void {
  const { method, socket, url = "" } = req;
  const { remoteAddress = null } = socket;
  const user = access.kind === "granted" ? access.user : null;
  const target = publicTarget(url);
  const visit = { user, remoteAddress, method, target, status, durationMs: Math.round(durationMs) };
  log.info(visit, "visit");
}

/** The target without any `key`, however it is encoded. A mistyped key is hidden, too, since it is nearly the right one. */
function publicTarget(target: string): string {
  const plain = decodedThroughout(target);
  const shown = plain.replace(/([?&]key=).*/s, "$1…");
  return tokenFree(shown === plain ? target : shown).slice(0, maxTarget);
}

const maxTarget = 1000;
