import { fieldLabel } from "../../publish/public-program/field-words.ts";
import { correction, flawWords, problemList } from "./problem-words.ts";
import { unlistedSteps } from "./remedies.ts";
import {
  askAgain,
  flawed,
  flawStep,
  mendViews,
  type ProgramFacts,
  type Standing,
  standing,
} from "./standing.ts";
import { forSupport } from "./step.ts";

export function servedProgram({ source, tenantId, tenant, changes, garbled }: ProgramFacts): Standing {
  switch (source.kind) {
    case "unavailable": {
      const now =
        "Partners see it. Whether the booking system says something else by now is not known: it could not be asked.";
      const steps = [forSupport(askAgain), mendViews];
      return standing(200, "served_unchecked", "served_unchecked", now, { steps });
    }
    case "tenant_unknown": {
      const now = `Partners see it as it was last published, though the booking system no longer lists tenant ${tenantId}; builds pass the tenant over.`;
      const steps = unlistedSteps(tenantId, ", which ends its access keys");
      return standing(200, "served_unlisted", "served_unlisted", now, { steps });
    }
    case "absent": {
      const now = "Partners still see it, though the booking system no longer has it.";
      const build = { need: "loss", effect: "take it out" } as const;
      return standing(200, "served_absent", "served_leaving", now, { build });
    }
    case "not_publishable": {
      const now = `Partners still see it, though the booking system calls it ${JSON.stringify(source.state)} now.`;
      const build = { need: "withdrawal", effect: "take it out" } as const;
      return standing(200, "served_withdrawn", "served_leaving", now, { build });
    }
    case "invalid": {
      const why = problemList(source.problems);
      const seen = "Partners see it as it was; what the booking system has now cannot be published";
      const steps = [correction(source.problems)];
      // The last run's `--on-invalid` shows what builds of this tenant do with a faulty program (P19).
      if (tenant.lastRun?.onInvalid === "fail") {
        const now = `${seen}, and builds of this tenant stop at such a fault: ${why}`;
        return standing(200, "served_stopping", "served_invalid", now, { isToBeCorrected: true, steps });
      }
      const build = { need: "loss", effect: "leave it out, so that partners no longer see it" } as const;
      return standing(200, "served_faulty", "served_invalid", `${seen}: ${why}`, { build, steps });
    }
    case "publishable":
      break;
  }
  const flaws = flawWords(source.dropped, garbled);
  if (changes !== null && changes.length > 0) {
    const fields = [...new Set(changes.map(({ path }) => fieldLabel(path.split(/[.[]/)[0] ?? path)))];
    const now = `Partners see an older version; the booking system has changed since (${fields.join(", ")}).${flawed(flaws)}`;
    return standing(200, "served_differs", "served_outdated", now, {
      build: { need: "change", effect: "bring partners the new version" },
      steps: [flawStep(source, garbled)],
    });
  }
  const count = source.dropped.length;
  if (count === 0) {
    const now = ["Partners see it, exactly as the booking system has it now.", ...flaws].join(" ");
    const step =
      garbled.length > 0
        ? forSupport("Have the garbled texts corrected in the booking system; partners see what it has.")
        : forSupport(
            "Nothing is to be done. If the partner sees something else, ask for the X-Request-Id of the answer.",
            "request explain REQUEST_ID --log FILE",
          );
    return standing(200, "served_same", "served", now, { steps: [step] });
  }
  const values = count === 1 ? "one value that is not published" : `${count} values that are not published`;
  const also = garbled.length === 0 ? "" : ", and the garbled texts as well";
  const correct = `If a value above should be seen, have it corrected in the booking system${also}.`;
  const now = `Partners see it as the booking system has it now, but for ${values}, by rule: ${flaws.join(" ")}`;
  return standing(200, "served_dropped", "served", now, {
    isToBeCorrected: true,
    steps: [forSupport(correct)],
  });
}
