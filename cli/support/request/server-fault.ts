import type { CauseCode } from "../../../core/cause-code.ts";
import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import { forOperations, forSupport, nextStep } from "../next-step.ts";
import type { RealCause } from "./request-facts.ts";

/** What an operator can do about a 500, by the code that the gateway noted; its text names the object or the fault. */
export function serverFault(line: RequestLogLine): RealCause {
  const tenant = line.tenantId === null ? "" : ` --tenant ${line.tenantId}`;
  const { summary, remedy, commands } = faults.get(line.causeCode) ?? unexpected;
  return {
    summary,
    next: nextStep(
      forSupport("Escalate to operations with this page; tell the partner to try again in some minutes."),
      forOperations(remedy, ...commands.map((command) => command.replace("{tenant}", tenant))),
    ),
  };
}

interface Fault {
  readonly summary: string;
  readonly remedy: string;
  /** `{tenant}` stands for the option that names the tenant. */
  readonly commands: readonly string[];
}

const storeFault: Fault = {
  summary: "The place where the published files lie did not answer, or refused. Technical detail below.",
  remedy: "See what the object store says. Gateways recover by themselves once it answers.",
  commands: ["store check"],
};

const faults: ReadonlyMap<string | null, Fault> = new Map<CauseCode, Fault>([
  [
    "registry_unconfirmed",
    {
      summary:
        "The gateway could not confirm which access keys are good, and lets nobody in until it can. Technical detail below.",
      remedy: "See whether the store answers and auth/tokens.json is whole; gateways recover by themselves.",
      commands: ["store check", "token list"],
    },
  ],
  [
    "not_found",
    {
      summary: "Nothing was published then for the tenant of this access key. Technical detail below.",
      remedy: "If nothing is by now, build the tenant, or revoke the access key.",
      commands: ["snapshot status{tenant}", "snapshot build{tenant}"],
    },
  ],
  [
    "corrupt_document",
    {
      summary:
        "A published file is damaged, and the gateway sends none rather than a wrong one. Technical detail below.",
      remedy: "See how much is damaged; then write every file anew, or make an earlier snapshot live.",
      commands: ["snapshot verify{tenant}", "snapshot build{tenant} --rewrite", "snapshot rollback{tenant}"],
    },
  ],
  [
    "store_unreachable",
    {
      summary:
        "The gateway found no store, or another one, where its published files should be; the files themselves are not damaged. Technical detail below.",
      remedy:
        "See whether the volume is mounted and STORE_URL is the right one. Gateways recover by themselves when the store is back.",
      commands: ["config", "store check --read-only"],
    },
  ],
  ["store_unavailable", storeFault],
  ["store_denied", storeFault],
  ["store_unsupported", storeFault],
]);

const unexpected: Fault = {
  summary: "The gateway met something that nobody expected. Technical detail below.",
  remedy: "Keep the log lines around it and report them.",
  commands: ["snapshot status{tenant}", "store check"],
};
