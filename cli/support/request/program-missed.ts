import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import type { MissedProgram } from "../../operate/snapshots/missed-program.ts";
import { forSupport, nextStep } from "../next-step.ts";
import { plainTime } from "../plain-time.ts";
import { shellWord } from "../shell-word.ts";
import type { Miss, RealCause } from "./request-facts.ts";

/** Why a program was not found: as it was then, and as it stands now. */
export function programMissed(line: RequestLogLine, miss: Miss | null): RealCause {
  const program = line.programId === null ? "the program" : `program ${line.programId}`;
  if (miss === null) {
    const { tenantId, programId } = line;
    const commands =
      tenantId === null || programId === null
        ? []
        : [`snapshot explain --tenant ${shellWord(tenantId)} --program ${shellWord(programId)}`];
    return {
      summary: `Partners did not see ${program} then. Why could not be found out: nothing of its tenant is published any more, or it could not be read.`,
      next: nextStep(forSupport("Ask how it stands now.", ...commands)),
    };
  }
  const { now, missed } = miss;
  return {
    summary: `Partners did not see ${program} then: ${then(missed)} Now: ${now.summary}`,
    next:
      now.answer === 200 && missed.kind !== "never"
        ? nextStep(forSupport("Tell the partner to ask again: partners see it now."))
        : now.next,
  };
}

function then(missed: MissedProgram): string {
  switch (missed.kind) {
    case "never":
      return missed.isCut
        ? `no published version that is kept has it (${missed.snapshotsExamined}); others are not kept or cannot be read.`
        : "no published version has it.";
    case "removed":
      return missed.by === null
        ? `a version with the data of ${plainTime(missed.last.generatedAt)} had it; what took it out is not known, since nothing of what came right after that can be read any more.`
        : `it was last published with the data of ${plainTime(missed.last.generatedAt)}, and the build of ${plainTime(missed.by.generatedAt)} took it out.`;
    case "rolled_back":
      return `the version with it was taken back by a rollback (${plainTime(missed.at)}).`;
    case "came_later":
      return `it was published later, with the data of ${plainTime(missed.first.generatedAt)}.`;
    case "not_kept":
      return "what was published then is no longer kept, so why is not known.";
  }
}
