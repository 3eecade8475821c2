import { lastRunJson } from "../status-json.ts";
import type { Explanation } from "./explain-program.ts";

/** What `snapshot explain --json` prints; documented in docs/json.md. */
export function explanationJson(explanation: Explanation, now: Date): object {
  const { tenantId, programId, row, answer, verdict, summary, source, store, changes, lastRun, next } =
    explanation;
  return {
    at: now.toISOString(),
    tenantId,
    programId,
    answer,
    verdict,
    row,
    summary,
    source: source.kind === "publishable" ? { kind: source.kind, dropped: source.dropped } : source,
    live: store.kind === "live" ? { ...store, served: store.served && servedJson(store.served) } : store,
    pendingChanges: changes,
    garbled: explanation.garbled,
    lastRun: lastRun && { ...lastRunJson(lastRun), problems: explanation.lastRunProblems },
    next,
  };
}

function servedJson({ key, sha256 }: { readonly key: string; readonly sha256: string }): object {
  return { objectKey: key, sha256 };
}
