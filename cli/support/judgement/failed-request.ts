import type { CauseCode } from "../../../core/cause-code.ts";
import type { RequestFacts } from "../facts/requests.ts";
import { damageSteps } from "./remedies.ts";
import { buildCommand, forOperations, forSupport, type RequestCase, type Step, told } from "./step.ts";

const toPartner = "The fault was on our side, and your request was fine. Please send it again.";
const escalate = forSupport(
  "Escalate to operations with this page; tell the partner to try again in some minutes.",
);

/** Explains a 500 by the code that the gateway logged. The logged text names the object or the fault. */
export function serverFault({ line, tenant, object }: RequestFacts): RequestCase {
  const { tenantId } = line;
  const ours = (summary: string, remedy: string, ...commands: readonly (string | false)[]): RequestCase => {
    const steps = [escalate, forOperations(remedy, ...commands)];
    return told(`${summary} Technical detail below.`, toPartner, ...steps);
  };
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
        const summary = `${then} Something is by now, so partners are served.`;
        return { summary, steps: [forSupport("Tell the partner to ask again.")], toPartner };
      }
      const build = tenantId !== null && buildCommand(tenantId);
      return ours(then, "If nothing is by now, build the tenant, or revoke the access key.", status, build);
    }
    case "corrupt_document":
      return damaged(tenantId, tenant?.hold != null, object);
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

function damaged(tenantId: string | null, isHeld: boolean, object: RequestFacts["object"]): RequestCase {
  const detail = "and the gateway sends none rather than a wrong one";
  const was = `A published file was damaged then, ${detail}.`;
  const verify = tenantId !== null && `snapshot verify --tenant ${tenantId}`;
  const again = "Tell the partner to try again; if it is a 500 again, escalate to operations.";
  const found = (summary: string, ...steps: readonly Step[]): RequestCase => {
    return told(`${summary} Technical detail below.`, toPartner, ...steps);
  };
  switch (object) {
    case "whole":
      return found(
        `${was} In this store it is whole now: it was written anew since, or the gateway reads another store.`,
        forSupport(again),
        forOperations(
          "See whether everything else is whole, and which store the gateway reads.",
          verify,
          "store check --read-only",
        ),
      );
    case "not_live":
      return found(`${was} Partners get another snapshot now.`, forSupport(again, verify));
    default: {
      const steps = tenantId === null ? [] : damageSteps(tenantId, isHeld);
      const mending = steps.filter(({ who }) => who === "operations");
      return found(`A published file is damaged, ${detail}.`, escalate, ...mending);
    }
  }
}
