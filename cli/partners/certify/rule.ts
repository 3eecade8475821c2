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

/** A rule, as it looks at one client. W83: its memory does not grow with the number of requests. */
export interface Rule {
  /**
   * Whether the request breaks the rule; `undefined` when the rule does not count the request. Called in the order in which the
   * requests ended.
   */
  breaks(request: OwnRequest): boolean | undefined;
  /**
   * The judgement on the requests that the rule counted, and on those that broke it. `foreign`: why the connections in the log say
   * nothing about the client; `undefined` when they are the client's own.
   */
  judgement(counted: number, broken: number, foreign: ForeignConnections | undefined): Judgement;
}

/** What a rule says of the requests in the log. The advice is given only when the rule fails. */
export interface Judgement extends Pick<Finding, "summary" | "counts"> {
  /** Whether the log holds enough to judge the rule. */
  readonly isSeen: boolean;
  readonly fails: boolean;
  readonly advice: string;
}
