import { fieldLabel } from "../../publish/public-program/field-words.ts";
import { correction, flawWords, problemList } from "./problem-words.ts";
import { unlistedSteps } from "./remedies.ts";
import { askAgain, flawed, flawStep, mendViews, type ProgramFacts, type Standing } from "./standing.ts";
import { forSupport } from "./step.ts";

export function servedProgram({ source, tenantId, tenant, changes, garbled }: ProgramFacts): Standing {
  const base = { answer: 200 } as const;
  switch (source.kind) {
    case "unavailable":
      return {
        ...base,
        name: "served_unchecked",
        verdict: "served_unchecked",
        now: "Partners see it. Whether the booking system says something else by now is not known: it could not be asked.",
        steps: [forSupport(askAgain), mendViews],
      };
    case "tenant_unknown":
      return {
        ...base,
        name: "served_unlisted",
        verdict: "served_unlisted",
        now: `Partners see it as it was last published, though the booking system no longer lists tenant ${tenantId}; builds pass the tenant over.`,
        steps: unlistedSteps(tenantId, ", which ends its access keys"),
      };
    case "absent":
      return {
        ...base,
        name: "served_absent",
        verdict: "served_leaving",
        now: "Partners still see it, though the booking system no longer has it.",
        build: { need: "loss", effect: "take it out" },
      };
    case "not_publishable":
      return {
        ...base,
        name: "served_withdrawn",
        verdict: "served_leaving",
        now: `Partners still see it, though the booking system calls it ${JSON.stringify(source.state)} now.`,
        build: { need: "withdrawal", effect: "take it out" },
      };
    case "invalid": {
      const why = problemList(source.problems);
      const seen = "Partners see it as it was; what the booking system has now cannot be published";
      const steps = [correction(source.problems)];
      // The last run tells what builds of this tenant do with a faulty program (P19).
      if (tenant.lastRun?.onInvalid === "fail") {
        const now = `${seen}, and builds of this tenant stop at such a fault: ${why}`;
        return {
          ...base,
          name: "served_stopping",
          verdict: "served_invalid",
          now,
          isToBeCorrected: true,
          steps,
        };
      }
      const build = { need: "loss", effect: "leave it out, so that partners no longer see it" } as const;
      return {
        ...base,
        name: "served_faulty",
        verdict: "served_invalid",
        now: `${seen}: ${why}`,
        build,
        steps,
      };
    }
    case "publishable":
      break;
  }
  const flaws = flawWords(source.dropped, garbled);
  if (changes !== null && changes.length > 0) {
    const fields = [...new Set(changes.map(({ path }) => fieldLabel(path.split(/[.[]/)[0] ?? path)))];
    return {
      ...base,
      name: "served_differs",
      verdict: "served_outdated",
      now: `Partners see an older version; the booking system has changed since (${fields.join(", ")}).${flawed(flaws)}`,
      build: { need: "change", effect: "bring partners the new version" },
      steps: [flawStep(source, garbled)],
    };
  }
  if (source.dropped.length === 0) {
    return {
      ...base,
      name: "served_same",
      verdict: "served",
      now: `Partners see it, exactly as the booking system has it now.${garbled.length === 0 ? "" : ` ${flaws.join(" ")}`}`,
      steps: [
        garbled.length > 0
          ? forSupport("Have the garbled texts corrected in the booking system; partners see what it has.")
          : forSupport(
              "Nothing is to be done. If the partner sees something else, ask for the X-Request-Id of the answer.",
              "request explain REQUEST_ID --log FILE",
            ),
      ],
    };
  }
  const count = source.dropped.length;
  const values = count === 1 ? "one value that is not published" : `${count} values that are not published`;
  return {
    ...base,
    name: "served_dropped",
    verdict: "served",
    now: `Partners see it as the booking system has it now, but for ${values}, by rule: ${flaws.join(" ")}`,
    isToBeCorrected: true,
    steps: [
      forSupport(
        garbled.length === 0
          ? "If a value above should be seen, have it corrected in the booking system."
          : "If a value above should be seen, have it corrected in the booking system, and the garbled texts as well.",
      ),
    ],
  };
}
