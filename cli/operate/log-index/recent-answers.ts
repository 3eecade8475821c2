import type { RequestLogLine } from "../gateway-log/request-line.ts";
import type { LogIndex } from "./log-index.ts";
import { idDigest } from "./request-columns.ts";

/** What the gateways answered the partners of a tenant in some time. */
export interface Answers {
  readonly requests: number;
  /** Answers of 500 and above, of 429, and of 401. */
  readonly failed: number;
  readonly limited: number;
  readonly refused: number;
  /** The newest of those of 500 and above. */
  readonly failures: readonly RequestLogLine[];
}

export interface RecentAnswers {
  /** `null` asks for the requests whose access key the gateway did not know. */
  of(tenantId: string | null): Answers;
  /** The newest answer of the last minute that the gateway gave without being able to confirm its snapshot (W162). */
  readonly unconfirmed: RequestLogLine | null;
}

const hourMs = 3_600_000;
const latelyMs = 60_000;
/** So many of the newest answers show whether one gateway of several cannot read the store. */
const maxAnswered = 100;

const nothing: Answers = { requests: 0, failed: 0, limited: 0, refused: 0, failures: [] };
/** Answers of 500 that are looked at for their cause. */
const maxFailures = 500;

/** Counts the answers of the last hour, in one pass over the index. */
export async function recentAnswers(index: LogIndex, now: Date, signal: AbortSignal): Promise<RecentAnswers> {
  const fromMs = now.getTime() - hourMs;
  const counts = new Map<number, { requests: number; failed: number; limited: number; refused: number }>();
  await index.scan({ fromMs }, signal, ({ tenant, status, timeMs }, { rows }) => {
    for (let row = 0; row < rows; row += 1) {
      if ((timeMs[row] ?? 0) < fromMs) continue;
      const digest = tenant[row] ?? 0;
      let counted = counts.get(digest);
      if (counted === undefined) {
        counted = { requests: 0, failed: 0, limited: 0, refused: 0 };
        counts.set(digest, counted);
      }
      const code = status[row] ?? 0;
      counted.requests += 1;
      if (code >= 500) counted.failed += 1;
      else if (code === 429) counted.limited += 1;
      else if (code === 401) counted.refused += 1;
    }
  });
  const filter = { fromMs, status: { from: 500, to: 599 } };
  const hasFailed = [...counts.values()].some(({ failed }) => failed > 0);
  const { lines } = hasFailed ? await index.find({ filter, limit: maxFailures }, signal) : { lines: [] };
  const answered = { fromMs: now.getTime() - latelyMs, status: { from: 200, to: 200 } };
  const { lines: latest } = await index.find({ filter: answered, limit: maxAnswered }, signal);
  return {
    unconfirmed: latest.find(({ unconfirmedSince }) => unconfirmedSince !== null) ?? null,
    of(tenantId) {
      const counted = counts.get(tenantId === null ? 0 : idDigest(tenantId));
      if (counted === undefined) return nothing;
      return { ...counted, failures: lines.filter((line) => line.tenantId === tenantId) };
    },
  };
}
