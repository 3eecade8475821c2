import type { S3OperationName } from "./s3-server-protocol.ts";

export const faultKinds = [
  /** 500, without effect. */
  "before",
  /** The connection breaks before anything happens. */
  "dropped",
  /** Done, but the connection breaks before the answer. */
  "reply_lost",
  /** Done only when the client has given up waiting. */
  "late",
  /** Done, but the connection breaks half-way through the answer. */
  "cut",
  /** Done, but the answer stops half-way and the connection stays open. */
  "stalled",
  /** Done, but the answer comes byte by byte, after pauses that no deadline for pauses minds. */
  "dripping",
  /** A byte of the request's body, or else of the answer's, is flipped on the way. */
  "corrupted",
  /** 503 SlowDown or 429, without effect. */
  "throttled",
  /** Done, but a proxy answers 503 in its own words. */
  "masked",
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface FaultRule {
  readonly kind: FaultKind;
  /** Every operation unless given. */
  readonly operation?: S3OperationName;
  /** Keys that end in this; every key unless given. */
  readonly keyEnd?: string;
  /** Keys that begin with this; every key unless given. */
  readonly keyStart?: string;
  /** Matching requests to let pass first. */
  readonly skip?: number;
  /** Matching requests to hit after that: 1 unless given. */
  readonly times?: number;
}

export type FaultPlan = ReturnType<typeof createFaultPlan>;

/** Decides which requests go wrong, and how. */
export function createFaultPlan() {
  let rules: { readonly rule: FaultRule; skip: number; left: number }[] = [];
  return {
    add(rule: FaultRule): void {
      rules.push({ rule, skip: rule.skip ?? 0, left: rule.times ?? 1 });
    },
    clear(): void {
      rules = [];
    },
    next(operation: S3OperationName, key: string): FaultKind | undefined {
      for (const entry of rules) {
        const { rule } = entry;
        if (rule.operation !== undefined && rule.operation !== operation) continue;
        if (!key.endsWith(rule.keyEnd ?? "") || !key.startsWith(rule.keyStart ?? "")) continue;
        if (entry.left === 0) continue;
        if (entry.skip > 0) {
          entry.skip -= 1;
          continue;
        }
        entry.left -= 1;
        return rule.kind;
      }
      return undefined;
    },
  };
}
