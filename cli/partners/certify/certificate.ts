import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import {
  type Finding,
  type ForeignConnections,
  type OwnRequest,
  type Rule,
  type RuleName,
  ruleNames,
  type Verdict,
} from "./rule.ts";
import { endedTokenRule } from "./rules/ended-token.ts";
import { keepAliveRule } from "./rules/keep-alive.ts";
import { pollingRule } from "./rules/polling.ts";
import { requestRules } from "./rules/request-rules.ts";
import { rereadsRule } from "./rules/rereads.ts";
import { retryAfterRule } from "./rules/retry-after.ts";
import { createSharedConnections } from "./shared-connections.ts";

/** The judgement on the client of one token, made from the gateway's log. */
export interface Certificate {
  readonly tokenId: string;
  readonly tenantId: string | null;
  /** The number of requests with the token. The first of them ended at `from`, the last at `to`. */
  readonly requests: number;
  readonly from: string;
  readonly to: string;
  /** `fail` when at least one rule fails. */
  readonly verdict: Exclude<Verdict, "not-seen">;
  readonly rules: readonly Finding[];
}

/** The operator's statement about the connections in the log: they are the client's own, or a proxy's. */
export type StatedConnections = "own" | "proxy" | undefined;

/** Takes the requests of a log, of all tokens, in the order in which they ended. Its memory does not grow with their number. */
export function createCertifier(tokenId: string, stated: StatedConnections) {
  const connections = createSharedConnections(tokenId);
  const judges = ruleNames.map((name) => createJudge(name, rules[name]()));
  let tenantId: string | null = null;
  let requests = 0;
  let [from, to] = ["", ""];

  return {
    see(line: RequestLogLine): void {
      connections.see(line);
      if (line.tokenId !== tokenId) return;
      const { time, durationMs } = line;
      tenantId ??= line.tenantId;
      requests += 1;
      if (from === "" || time < from) from = time;
      if (time > to) to = time;
      const endedMs = Date.parse(time);
      const request = { ...line, endedMs, beganMs: endedMs - (durationMs ?? 0) };
      for (const judge of judges) judge.see(request);
    },

    /** `undefined` when no request bore the token. */
    certificate(): Certificate | undefined {
      if (requests === 0) return undefined;
      const foreign =
        stated === "proxy"
          ? "proxied"
          : stated === undefined && connections.areShared()
            ? "shared"
            : undefined;
      const findings = judges.map((judge) => judge.finding(foreign));
      const fails = findings.some(({ verdict }) => verdict === "fail");
      return { tokenId, tenantId, requests, from, to, verdict: fails ? "fail" : "pass", rules: findings };
    },
  };
}

/** Counts the requests that a rule counts, and those that break it. */
function createJudge(rule: RuleName, { breaks, judgement }: Rule) {
  let counted = 0;
  let broken = 0;
  const examples: string[] = [];
  return {
    see(request: OwnRequest): void {
      const isBroken = breaks(request);
      if (isBroken === undefined) return;
      counted += 1;
      if (!isBroken) return;
      broken += 1;
      if (examples.length < maxExamples) examples.push(request.requestId);
    },
    finding(foreign: ForeignConnections | undefined): Finding {
      const { isSeen, fails, summary, counts, advice } = judgement(counted, broken, foreign);
      if (isSeen && fails) return { rule, verdict: "fail", summary, counts, examples, advice };
      const verdict = isSeen ? "pass" : "not-seen";
      return { rule, verdict, summary, counts, examples: [], advice: null };
    },
  };
}

const maxExamples = 3;

const rules: Readonly<Record<RuleName, () => Rule>> = {
  gzip: () => requestRules.gzip,
  "keep-alive": keepAliveRule,
  "retry-after": retryAfterRule,
  quota: () => requestRules.quota,
  polling: pollingRule,
  rereads: rereadsRule,
  legacy: () => requestRules.legacy,
  methods: () => requestRules.methods,
  "ended-token": endedTokenRule,
};
