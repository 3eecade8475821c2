import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import { counted, numberText } from "../../output/counted.ts";
import { plainTime, type Reader } from "../../output/times.ts";
import type { GatewayFacts, TenantFacts } from "../facts/tenants.ts";
import { type Concern, concern } from "./concern.ts";
import { damageSteps } from "./remedies.ts";
import { clause, forOperations, forSupport, type Step } from "./step.ts";

/** Finds the concerns of all tenants together in the gateways' answers of the last hour. */
export function* gatewayConcerns(
  { anonymous, unconfirmed }: GatewayFacts,
  reader: Reader,
): Generator<Concern> {
  if (unconfirmed !== null) {
    const text = `partners get answers ${olderSnapshot(unconfirmed, reader)}`;
    const { time: at, requestId } = unconfirmed;
    yield concern("answers_old", null, text, { at, requestId, steps: storeSteps });
  }
  // A request without a known key that gets 401 is no concern: anybody can send one.
  if (anonymous.failed > 0) {
    const [last] = anonymous.failures;
    const text = `${counted(anonymous.failed, "request")} of the last hour got 500 (internal error) before an access key was looked up${causeOf(last)}`;
    yield concern("answers_failed", null, text, { ...seenIn(last), steps: storeSteps });
  }
}

/** Says since when and why the gateway could not confirm an answer, which may be old (W162). */
export function olderSnapshot(line: RequestLogLine, reader: Reader): string {
  const { unconfirmedSince, unconfirmedCode } = line;
  const isStore = unconfirmedCode?.startsWith("store_") === true || unconfirmedCode === "settings";
  const what = isStore
    ? "the store could not be reached"
    : "the gateway could not confirm the tenant's snapshot";
  return `of an older snapshot: ${what} since ${plainTime(unconfirmedSince ?? line.time, reader)}`;
}

export const storeSteps: readonly Step[] = [
  forSupport("Escalate to operations; don't tell any partner yet that an access key or a program is wrong."),
  forOperations(
    "See which store this is and which one the gateways go by: STORE_URL, STORE_ID, and whether the volume is mounted.",
    "config",
    "store check --read-only",
  ),
];

/** Finds the concerns in the answers that partners of the tenant got in the last hour. */
export function* answerConcerns({ tenantId, answers, hold, keys }: TenantFacts): Generator<Concern> {
  if (answers === null) return;
  const { requests, failed, limited, refused, failures } = answers;
  const got = (count: number, what: string): string =>
    `${numberText(count)} of ${counted(requests, "request")} of the last hour got ${what}`;
  if (failed > 0) {
    const [last] = failures;
    const damage = failures.find(({ causeCode }) => causeCode === "corrupt_document");
    const text = got(failed, `500 (internal error)${causeOf(damage ?? last)}`);
    const explain = last !== undefined && `request explain ${last.requestId} --log FILE`;
    const look = forSupport("Look at one of these requests, and escalate to operations.", explain);
    const steps = damage === undefined ? [look] : damageSteps(tenantId, hold !== null);
    yield concern("answers_failed", tenantId, text, { ...seenIn(last), steps });
  }
  if (refused > 0) {
    const text = got(refused, "401 (unauthorized): partners use an access key that has ended");
    const hasActive = keys?.some(({ revokedAt }) => revokedAt === null) === true;
    const look = "See which access key it is, and tell the partner.";
    yield concern("answers_refused", tenantId, text, {
      severity: hasActive ? "doubtful" : "bad",
      steps: [forSupport(look, `token list --tenant ${tenantId}`)],
    });
  }
  if (limited > 0) {
    const tell = "See who asks so often, and tell the partner to keep answers for a while.";
    yield concern("answers_limited", tenantId, got(limited, "429 (too many)"), {
      steps: [forSupport(tell, "token usage --log FILE")],
    });
  }
}

function causeOf(line: RequestLogLine | undefined): string {
  return line?.cause == null ? "" : `: ${clause(line.cause)}`;
}

function seenIn(line: RequestLogLine | undefined): Pick<Concern, "at" | "requestId"> {
  return { at: line?.time ?? null, requestId: line?.requestId ?? null };
}
