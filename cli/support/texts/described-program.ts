import type { Problem } from "../../../schemas/generated/types.ts";
import type { ProgramPast, SnapshotMoment } from "../../operate/snapshots/program-past.ts";
import { statusCells } from "../../operate/source-check/enrollment-statuses.ts";
import { counted } from "../../output/counted.ts";
import type { Explanation } from "../explain.ts";
import type { ProgramInSource } from "../facts/program-in-source.ts";
import { garbledWords, problemWords } from "../judgement/problem-words.ts";
import { describedAge, describedBuilds, holdLine } from "./described-tenant.ts";
import type { DescribedRow, Line, Piece } from "./description.ts";

/** The chain that leads from the booking system to the partner, for `snapshot explain` and for its page. */
export function describedProgram(explanation: Explanation): readonly DescribedRow[] {
  const { source, store, tenant, garbled } = explanation;
  const texts = garbled.map((text): Line => ({ tone: "doubtful", text: garbledWords(text) }));
  return [
    tenant.isSandbox
      ? ["sandbox", "its programs come with the generator, and `sandbox init` published them once"]
      : ["booking system", ...sourceLines(source)],
    ["sold out", ...placeLines(source)],
    ...describedStore(explanation),
    ["hold", store.kind === "unpublished" ? null : holdLine(tenant.hold)],
    ...(tenant.isSandbox ? [] : describedBuilds(tenant)),
    ["texts", ...texts],
  ];
}

/** A finding in words, with the rule's code and the field for the person who corrects it. */
export function problemText(problem: Problem): string {
  const place = problem.field === null ? "" : `, ${problem.field}`;
  return `${problemWords(problem)} (${problem.code}${place})`;
}

function describedStore({ store, tenant }: Explanation): readonly DescribedRow[] {
  switch (store.kind) {
    case "unpublished": {
      const what = store.isStore ? "nothing is published for this tenant" : "there is no store";
      return [["live", { tone: "bad", text: `${what} in ${store.store}` }]];
    }
    case "damaged":
      return [["live", { tone: "bad", text: "damaged" }, store.reason]];
    case "live": {
      const { snapshotId, programs, served, past } = store;
      const has: Piece =
        served === null
          ? { tone: "bad", text: "without this program" }
          : { tone: "good", text: "with this program" };
      return [
        ["live", [{ id: snapshotId }, `, ${counted(programs, "program")}, `, has]],
        ...(tenant.live === null || tenant.isSandbox ? [] : describedAge(tenant.live)),
        ["served", ...(past === null ? [] : pastLines(past))],
        ["content", served?.builtBy ? ["as built by ", { id: served.builtBy }] : null],
      ];
    }
  }
}

/** Where the program was last, and what took it out. */
export function pastLines(past: ProgramPast): readonly Line[] {
  const shown = (before: string, { snapshotId, generatedAt }: SnapshotMoment): Line => [
    before,
    { id: snapshotId },
    ", ",
    { time: generatedAt },
  ];
  switch (past.kind) {
    case "never": {
      const others = past.isCut ? "; others are not kept or cannot be read" : "";
      return [`never, in the ${past.snapshotsExamined} snapshot(s) that are kept${others}`];
    }
    case "removed":
      return [shown("last in ", past.last), shown("taken out by ", past.by)];
    case "rolled_back":
      return [shown("last in ", past.last), ["taken out by a rollback, ", { time: past.at }]];
    case "came_later":
      return [shown("first in ", past.first)];
    case "not_kept":
      return ["what was published then is not kept"];
  }
}

function sourceLines(source: ProgramInSource): readonly Line[] {
  switch (source.kind) {
    case "unavailable":
      return [{ tone: "doubtful", text: "could not be asked" }, source.reason];
    case "tenant_unknown":
      return [{ tone: "bad", text: "does not list the tenant" }];
    case "absent":
      return [
        { tone: "bad", text: "has no program of this id for this tenant" },
        ...source.elsewhere.map(
          (found) => `but has ${JSON.stringify(found.programId)} under tenant ${found.tenantId}`,
        ),
      ];
    case "not_publishable":
      return [
        ["has it, as ", { tone: "doubtful", text: JSON.stringify(source.state) }],
        "only active programs are published",
        ...source.ifActive.map(
          (problem): Line => [{ tone: "doubtful", text: "nor if active: " }, problemText(problem)],
        ),
        ...source.dropped.map(droppedLine),
      ];
    case "invalid":
      return [
        { tone: "bad", text: "has it, but it cannot be published" },
        ...source.problems.map((problem) => problemText(problem)),
        ...source.dropped.map(droppedLine),
      ];
    case "publishable":
      return [
        { tone: "good", text: "has it, active and fit to be published" },
        ...source.dropped.map(droppedLine),
      ];
  }
}

/** The enrollments that take the places of a sold-out program. A cancelled booking whose status nobody named takes one, too. */
function placeLines(source: ProgramInSource): readonly Line[] {
  if (source.kind !== "publishable" || source.statuses === undefined) return [];
  const lines = source.statuses.map((status) => {
    const [name, count, takesPlace] = statusCells(status);
    return `${name} (${count}): ${takesPlace === "yes" ? "takes a place" : "takes no place"}`;
  });
  return [...lines, "TERMINAL_ENROLLMENT_STATUSES names the statuses that take none"];
}

function droppedLine(problem: Problem): Line {
  return [{ tone: "doubtful", text: "not published:" }, ` ${problemText(problem)}`];
}
