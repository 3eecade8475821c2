import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";

/** The names of the rules. They never change, since scripts use them. */
export const ruleNames = [
  "gzip",
  "keep-alive",
  "retry-after",
  "quota",
  "polling",
  "rereads",
  "legacy",
  "methods",
  "ended-token",
] as const;
export type RuleName = (typeof ruleNames)[number];

/** W82: `not-seen` means that the log holds too little to judge the rule. */
export type Verdict = "pass" | "fail" | "not-seen";

/** The judgement on one rule. */
export interface Finding {
  readonly rule: RuleName;
  readonly verdict: Verdict;
  /** A sentence about the requests in the log. */
  readonly summary: string;
  /** The numbers in the sentence. */
  readonly counts: Readonly<Record<string, number>>;
  /** Ids of the first requests that break the rule. */
  readonly examples: readonly string[];
  /** The advice to the partner; `null` unless the rule failed. */
  readonly advice: string | null;
}

/** A request with the token. It began and ended at these times, in ms since 1970 by the gateway's clock. */
export interface OwnRequest extends RequestLogLine {
  readonly beganMs: number;
  readonly endedMs: number;
}

/** Why the connections in the log do not show how the client uses its own: a proxy made them, or they carry other tokens, too. */
export type ForeignConnections = "proxied" | "shared";

/** Judges one rule. W83: its memory does not grow with the number of requests. */
export interface Judge {
  /** Called in the order in which the requests ended. */
  see(request: OwnRequest): void;
  /** `foreign`: why the connections in the log say nothing about the client; `undefined` when they are the client's own. */
  finding(foreign: ForeignConnections | undefined): Finding;
}

/** The request ids of the first examples. */
export class Examples {
  readonly ids: string[] = [];

  add({ requestId }: RequestLogLine): void {
    if (this.ids.length < maxExamples) this.ids.push(requestId);
  }
}

const maxExamples = 3;
