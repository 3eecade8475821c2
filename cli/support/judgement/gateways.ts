import type { GatewayNote, RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import { counted, numberText } from "../../output/counted.ts";
import { plainTime, type Reader } from "../../output/times.ts";
import type { RequestFacts } from "../facts/requests.ts";
import type { GatewayFacts, TenantFacts } from "../facts/tenants.ts";
import { type Concern, concern } from "./concern.ts";
import { damageSteps } from "./remedies.ts";
import { clause, forOperations, forSupport, lengthOf, type Step } from "./step.ts";

/** Finds the concerns of all tenants together in the gateways' log. */
export function* gatewayConcerns(
  { notes, anonymous, unconfirmed, storeId }: GatewayFacts,
  reader: Reader,
): Generator<Concern> {
  const newest = newestNote(notes);
  const trouble = newest === undefined ? undefined : storeTrouble(newest, storeId);
  if (newest !== undefined && trouble !== undefined) {
    yield concern("gateway_store", "bad", null, trouble, { at: newest.time, steps: storeSteps });
  } else if (newest !== undefined && newest.cause !== null && newest.kind !== "confirmed") {
    const text = `the gateway is not ready: ${clause(newest.cause)}`;
    yield concern("gateway_unready", "bad", null, text, { at: newest.time, steps: storeSteps });
  }
  if (unconfirmed !== null) {
    const text = `partners get answers ${olderSnapshot(unconfirmed, reader)}`;
    const { time: at, requestId } = unconfirmed;
    yield concern("answers_old", "bad", null, text, { at, requestId, steps: storeSteps });
  }
  if (anonymous.failed > 0) {
    const [last] = anonymous.failures;
    const text = `${counted(anonymous.failed, "request")} of the last hour got 500 (internal error) before an access key was looked up${causeOf(last)}`;
    yield concern("answers_failed", "bad", null, text, { ...seenIn(last), steps: storeSteps });
  }
  if (anonymous.refused > 0) {
    const text = `${counted(anonymous.refused, "request")} of the last hour got 401 (unauthorized) without an access key that the gateway knew`;
    const look = "Look at one of these requests: the page of requests, or `request explain`, says why.";
    yield concern("answers_refused", "doubtful", null, text, { steps: [forSupport(look)] });
  }
  const ahead = newest === undefined ? undefined : clockAhead(newest.time, reader);
  if (ahead !== undefined) yield concern("gateway_clock", "bad", null, ahead, { steps: clockSteps });
}

function causeOf(line: RequestLogLine | undefined): string {
  return line?.cause == null ? "" : `: ${clause(line.cause)}`;
}

function seenIn(line: RequestLogLine | undefined): Pick<Concern, "at" | "requestId"> {
  return { at: line?.time ?? null, requestId: line?.requestId ?? null };
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

function newestNote(notes: readonly GatewayNote[]): GatewayNote | undefined {
  return notes.toSorted((a, b) => (a.time < b.time ? 1 : -1))[0];
}

/**
 * Says why a gateway may know nothing of this store's keys and snapshots: it uses another store, or finds none. `storeId` is
 * this store's identity, or `null` when it has none.
 */
function storeTrouble(note: GatewayNote, storeId: string | null): string | undefined {
  if (note.otherStoreId !== null) {
    return `the gateway uses the store ${note.storeId ?? "of its STORE_ID"}, and found ${note.otherStoreId} in its place${storeId === null ? "" : `; this is ${storeId}`}`;
  }
  if (note.kind !== "confirmed" && (note.causeCode === "store_unreachable" || isNoStore(note.cause))) {
    return `the gateway finds no store in its place: ${clause(note.cause ?? "")}`;
  }
  if (note.storeId === null || storeId === null || note.storeId === storeId) return undefined;
  return `the gateway uses the store ${note.storeId}, and this is ${storeId}`;
}

function isNoStore(cause: string | null): boolean {
  return cause !== null && (cause.includes("There is no store in ") || cause.includes("STORE_ID is "));
}

export const storeSteps: readonly Step[] = [
  forSupport("Escalate to operations; don't tell any partner yet that an access key or a program is wrong."),
  forOperations(
    "See which store this is and which one the gateways go by: STORE_URL, STORE_ID, and whether the volume is mounted.",
    "config",
    "store check --read-only",
  ),
];

/** Says why the gateway may have answered from another store than this one; `undefined` when nothing suggests it. */
export function gatewayTrouble({
  gateway,
  storeId,
}: Pick<RequestFacts, "gateway" | "storeId">): string | undefined {
  return gateway === null ? undefined : storeTrouble(gateway, storeId);
}

/** A log line from the future shows that the gateway's clock or this machine's is wrong. */
export function clockAhead(time: string, { now }: Reader): string | undefined {
  const aheadMs = Date.parse(time) - now.getTime();
  if (aheadMs < clockToleranceMs) return undefined;
  return `the gateway's clock is ahead of this machine's by ${lengthOf(aheadMs)} at least`;
}

export const clockToleranceMs = 60_000;

export const clockSteps: readonly Step[] = [
  forOperations(
    "Set the clocks of the gateway's machine and of this one right (NTP): access keys end by them.",
  ),
];

/** Finds the concerns in the answers that partners got in the last hour. */
export function* answerConcerns({ tenantId, answers, hold, keys }: TenantFacts): Generator<Concern> {
  if (answers === null) return;
  const { requests, failed, limited, refused, failures } = answers;
  const got = (count: number, what: string): string =>
    `${numberText(count)} of ${counted(requests, "request")} of the last hour got ${what}`;
  if (failed > 0) {
    const [last] = failures;
    const damage = failures.find(({ causeCode }) => causeCode === "corrupt_document");
    const text = got(failed, `500 (internal error)${causeOf(damage ?? last)}`);
    const steps = damage === undefined ? [requestStep(last)] : damageSteps(tenantId, hold !== null);
    yield concern("answers_failed", "bad", tenantId, text, { ...seenIn(last), steps });
  }
  if (refused > 0) {
    const text = got(refused, "401 (unauthorized): partners use an access key that has ended");
    const hasActive = keys?.some(({ revokedAt }) => revokedAt === null) === true;
    const look = "See which access key it is, and tell the partner.";
    yield concern("answers_refused", hasActive ? "doubtful" : "bad", tenantId, text, {
      steps: [forSupport(look, `token list --tenant ${tenantId}`)],
    });
  }
  if (limited > 0) {
    const tell = "See who asks so often, and tell the partner to keep answers for a while.";
    yield concern("answers_limited", "doubtful", tenantId, got(limited, "429 (too many)"), {
      steps: [forSupport(tell, "token usage --log FILE")],
    });
  }
}

function requestStep(line: RequestLogLine | undefined): Step {
  const explain = line !== undefined && `request explain ${line.requestId} --log FILE`;
  return forSupport("Look at one of these requests, and escalate to operations.", explain);
}
