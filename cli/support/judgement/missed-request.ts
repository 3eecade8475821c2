import type { ProgramPast } from "../../operate/snapshots/program-past.ts";
import { plainTime, type Reader } from "../../output/times.ts";
import type { RequestFacts } from "../facts/requests.ts";
import { explainCommand, forSupport, type Judgement, judgement, nextStep } from "./step.ts";

export function missedRequest({ line, miss }: RequestFacts, reader: Reader): Judgement {
  const program = line.programId === null ? "the program" : `program ${line.programId}`;
  if (miss === null) {
    const { tenantId, programId } = line;
    const explain = tenantId !== null && programId !== null && explainCommand(tenantId, programId);
    return judgement(
      `Partners did not see ${program} then. Why could not be found out: nothing of its tenant is published any more, or it could not be read.`,
      forSupport("Ask how it stands now.", explain),
    );
  }
  const { now } = miss;
  const isThere = now.answer === 200 && miss.missed.kind !== "never";
  return {
    summary: `Partners did not see ${program} then: ${missedThen(miss.missed, reader)} Now: ${now.summary}`,
    next: isThere ? nextStep(forSupport("Tell the partner to ask again: partners see it now.")) : now.next,
  };
}

function missedThen(missed: ProgramPast, reader: Reader): string {
  const when = (at: string): string => plainTime(at, reader);
  switch (missed.kind) {
    case "never":
      return missed.isCut
        ? `no published version that is kept has it (${missed.snapshotsExamined}); others are not kept or cannot be read.`
        : "no published version has it.";
    case "removed":
      return `it was last published with the data of ${when(missed.last.generatedAt)}, and the build of ${when(missed.by.generatedAt)} took it out.`;
    case "rolled_back":
      return `the version with it was taken back by a rollback (${when(missed.at)}).`;
    case "came_later":
      return `it was published later, with the data of ${when(missed.first.generatedAt)}.`;
    case "not_kept":
      return "what was published then is no longer kept, so why is not known.";
  }
}
