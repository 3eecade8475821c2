import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";

/** The names of the rules; stable, for scripts. */
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

/** W82: `not-seen`: the log has not enough of it to judge. */
export type Verdict = "pass" | "fail" | "not-seen";

/** What the log says of one rule. */
export interface Finding {
  readonly rule: RuleName;
  readonly verdict: Verdict;
  /** What was seen, in a sentence. */
  readonly summary: string;
  /** What the sentence counts. */
  readonly counts: Readonly<Record<string, number>>;
  /** Ids of the first requests that break the rule. */
  readonly examples: readonly string[];
  /** What the partner should do; `null` unless it failed. */
  readonly advice: string | null;
}

/** A request of the token, with when it began and ended in ms since 1970, by the gateway's clock. */
export interface OwnRequest extends RequestLogLine {
  readonly beganMs: number;
  readonly endedMs: number;
}

/** They are a proxy's, or bear other tokens, too. */
export type ForeignConnections = "proxied" | "shared";

/** Judges one rule. W83: its memory does not grow with the number of requests. */
export interface Judge {
  /** Called in the order in which the requests ended. */
  see(request: OwnRequest): void;
  /** `foreign`: why the connections in the log say nothing of the client; `undefined` when they are its own. */
  finding(foreign: ForeignConnections | undefined): Finding;
}

/** The first ids of those that are worth a look. */
export class Examples {
  readonly ids: string[] = [];

  add({ requestId }: RequestLogLine): void {
    if (this.ids.length < maxExamples) this.ids.push(requestId);
  }
}

const maxExamples = 3;
