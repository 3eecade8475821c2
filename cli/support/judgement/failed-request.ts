import type { RequestFacts } from "../explain-requests.ts";
import { type RequestCase, told } from "./refused-key.ts";
import { commandTo, forOperations, forSupport, remedies } from "./steps.ts";

type Fault = readonly [summary: string, remedy: string, ...commands: readonly string[]];

const storeAway: Fault = [
  "The place where the published files lie did not answer, or refused.",
  "See what the object store says. Gateways recover by themselves once it answers.",
  "store check",
];

const causes: Readonly<Record<string, Fault>> = {
  registry_unconfirmed: [
    "The gateway could not confirm which access keys are good, and lets nobody in until it can.",
    "See whether the store answers and auth/tokens.json is whole; gateways recover by themselves.",
    "store check",
    "token list",
  ],
  store_unreachable: [
    "The gateway found no store, or another one, where its published files should be; the files themselves are not damaged.",
    "See whether the volume is mounted and STORE_URL is the right one. Gateways recover by themselves when the store is back.",
    "config",
    "store check --read-only",
  ],
  store_unavailable: storeAway,
  store_denied: storeAway,
  store_unsupported: storeAway,
};
/** A log may hold any text as a code. */
const serverFaults: ReadonlyMap<string | null, Fault> = new Map(Object.entries(causes));

/** Explains a 500 by the code that the gateway logged. The logged text names the object or the fault. */
export function serverFault({ line, tenant }: RequestFacts): RequestCase {
  const { tenantId, causeCode } = line;
  const toPartner = "The fault was on our side, and your request was fine. Please send it again.";
  const wait = "Escalate to operations with this page; tell the partner to try again in some minutes.";
  const escalate = forSupport(wait);
  const status = tenantId === null ? "snapshot status" : `snapshot status --tenant ${tenantId}`;
  if (causeCode === "corrupt_document") {
    const mending = tenantId === null ? [] : remedies.damage(tenantId, tenant?.hold != null).slice(1);
    const summary =
      "A published file was damaged, and the gateway sends none rather than a wrong one. Technical detail below.";
    return told(summary, toPartner, escalate, ...mending);
  }
  if (causeCode === "not_found") {
    const then = "Nothing was published then for the tenant of this access key.";
    if (tenant?.live != null) {
      const again = forSupport("Tell the partner to ask again.");
      return told(`${then} Something is by now, so partners are served.`, toPartner, again);
    }
    const build = tenantId !== null && commandTo.build(tenantId);
    const remedy = "If nothing is by now, build the tenant, or revoke the access key.";
    return told(`${then} Technical detail below.`, toPartner, escalate, forOperations(remedy, status, build));
  }
  const [summary, remedy, ...commands] = serverFaults.get(causeCode) ?? [
    "The gateway met something that nobody expected.",
    "Keep the log lines around it and report them.",
    status,
    "store check",
  ];
  return told(`${summary} Technical detail below.`, toPartner, escalate, forOperations(remedy, ...commands));
}
