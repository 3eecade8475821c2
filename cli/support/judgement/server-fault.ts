import type { CauseCode } from "../../../core/cause-code.ts";
import type { RequestFacts } from "../facts/requests.ts";
import { damageSteps } from "./remedies.ts";
import { buildCommand, forOperations, forSupport, type Judgement, judgement, type Step } from "./step.ts";

/** Explains a 500 by the code that the gateway logged. The logged text names the object or the fault. */
export function serverFault(facts: RequestFacts): Judgement {
  const { line, tenant, object } = facts;
  const { tenantId } = line;
  const escalate = forSupport(
    "Escalate to operations with this page; tell the partner to try again in some minutes.",
  );
  const ours = (summary: string, text: string, ...commands: readonly (string | false)[]): Judgement =>
    judgement(`${summary} Technical detail below.`, escalate, forOperations(text, ...commands));
  const status = tenantId === null ? "snapshot status" : `snapshot status --tenant ${tenantId}`;
  switch (line.causeCode as CauseCode | null) {
    case "registry_unconfirmed":
      return ours(
        "The gateway could not confirm which access keys are good, and lets nobody in until it can.",
        "See whether the store answers and auth/tokens.json is whole; gateways recover by themselves.",
        "store check",
        "token list",
      );
    case "not_found": {
      const then = "Nothing was published then for the tenant of this access key.";
      if (tenant?.live != null) {
        const now = `${then} Something is by now, so partners are served.`;
        return judgement(now, forSupport("Tell the partner to ask again."));
      }
      const build = tenantId !== null && buildCommand(tenantId);
      return ours(then, "If nothing is by now, build the tenant, or revoke the access key.", status, build);
    }
    case "corrupt_document":
      return damaged(tenantId, tenant?.hold != null, object, escalate);
    case "store_unreachable":
      return ours(
        "The gateway found no store, or another one, where its published files should be; the files themselves are not damaged.",
        "See whether the volume is mounted and STORE_URL is the right one. Gateways recover by themselves when the store is back.",
        "config",
        "store check --read-only",
      );
    case "store_unavailable":
    case "store_denied":
    case "store_unsupported":
      return ours(
        "The place where the published files lie did not answer, or refused.",
        "See what the object store says. Gateways recover by themselves once it answers.",
        "store check",
      );
    default:
      return ours(
        "The gateway met something that nobody expected.",
        "Keep the log lines around it and report them.",
        status,
        "store check",
      );
  }
}

function damaged(
  tenantId: string | null,
  isHeld: boolean,
  object: RequestFacts["object"],
  escalate: Step,
): Judgement {
  const sent = "and the gateway sends none rather than a wrong one";
  const again = "Tell the partner to try again; if it is a 500 again, escalate to operations.";
  const verify = tenantId !== null && `snapshot verify --tenant ${tenantId}`;
  if (object === "whole") {
    return judgement(
      `A published file was damaged then, ${sent}. In this store it is whole now: it was written anew since, or the gateway reads another store. Technical detail below.`,
      forSupport(again),
      forOperations(
        "See whether everything else is whole, and which store the gateway reads.",
        verify,
        "store check --read-only",
      ),
    );
  }
  if (object === "not_live") {
    return judgement(
      `A published file was damaged then, ${sent}. Partners get another snapshot now. Technical detail below.`,
      forSupport(again, verify),
    );
  }
  return judgement(
    `A published file is damaged, ${sent}. Technical detail below.`,
    escalate,
    ...(tenantId === null ? [] : damageSteps(tenantId, isHeld).filter(({ who }) => who === "operations")),
  );
}
