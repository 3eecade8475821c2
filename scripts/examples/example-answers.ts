import { sandboxPrograms } from "../../cli/partners/sandbox/sandbox-programs.ts";
import { type RenderedProgram, renderedProgram } from "../../cli/publish/content/checked-program.ts";
import { publicProgram, terminalStatusTest } from "../../cli/publish/public-program/public-program.ts";
import { defaultTerminalStatuses } from "../../core/process/settings.ts";

/**
 * The programs of the sandbox that the examples show, in list order, and the example of the detail of each.
 */
const shown = {
  everything: "program-detail",
  "right-to-left": "program-detail-right-to-left",
  sparse: "program-detail-sparse",
} as const;

/** The answers by the name of their file: what a gateway answers for these programs of the sandbox. */
export function exampleAnswers(): ReadonlyMap<string, unknown> {
  const answers = new Map<string, unknown>();
  const rendered = Object.keys(shown).map((id) => renderedOf(id, "object"));
  const totals = Object.keys(shown).map((id) => renderedOf(id, "total"));
  const list = (programs: readonly string[]) =>
    JSON.parse(`{"data":[${programs.join()}],"meta":{"count":${programs.length}}}`);
  const legacy = (programs: readonly string[]) =>
    JSON.parse(`{"success":true,"programs":[${programs.join()}]}`);
  answers.set("program-list", list(rendered.map(({ listItem }) => listItem)));
  answers.set("program-list-empty", list([]));
  for (const [at, name] of Object.values(shown).entries()) {
    answers.set(name, JSON.parse(rendered[at]?.detail ?? ""));
  }
  answers.set("legacy-programs", legacy(rendered.map(({ legacyItem }) => legacyItem)));
  answers.set("legacy-programs-total", legacy(totals.map(({ legacyItem }) => legacyItem)));
  return answers;
}

function renderedOf(id: string, capacity: "object" | "total"): RenderedProgram {
  const source = sandboxPrograms.find(({ programId }) => programId === id);
  if (source === undefined) throw new Error(`the sandbox has no program ${id}`);
  const program = publicProgram(source, { isTerminalStatus: terminalStatusTest(defaultTerminalStatuses) });
  if (program.kind !== "published") throw new Error(`${id} is not published`);
  return renderedProgram(program, capacity);
}
