import { printable, printableJson } from "../../../core/printable.ts";
import { problemReport } from "../../operate/source-check/problem-report.ts";
import { type Layout, table, wrapped } from "../../output/layout.ts";
import { numberText } from "../../output/words.ts";
import { shownId } from "../../publish/public-program/problem.ts";
import type { ProgramPreview, SourcePreview } from "../source-preview.ts";
import { problemText } from "./program.ts";

/** The document first, then the values that were dropped from it, and the findings about the whole sample last. */
export function previewText(preview: SourcePreview, layout: Layout): string {
  const { tenantId, tenants, program, programs, neverFilled, findings } = preview;
  const { style } = layout;
  const others = tenants === 1 ? "" : ` (1 of ${numberText(tenants)} tenants)`;
  if (program === null) {
    return `Tenant ${tenantId}${others} has no program in the source; \`source check\` says more.\n`;
  }
  const { total, candidates, unknown, sampled, published } = programs;
  const those = unknown === 0 ? "active programs" : "programs that are active or of an unknown state";
  const looked = `${numberText(sampled)} of its ${numberText(candidates)} ${those} looked at`;
  const none = `none of its ${numberText(total)} programs is active`;
  const size = candidates === 0 ? none : `${looked}, ${numberText(published)} would be published`;
  return [
    style.bold(`Program ${shownId(program.programId)} of tenant ${tenantId}${others}`),
    "\n",
    ...programLines(program, layout).map((line) => `${line}\n`),
    `\n${style.bold(`Tenant ${tenantId}: ${size}`)}\n`,
    emptyFields(preview),
    findings.length === 0 ? "" : `\n${problemReport(findings, layout)}`,
    neverFilled.length === 0 && findings.length === 0 && published > 0 ? "Nothing was dropped.\n" : "",
  ].join("");
}

function programLines({ outcome, state, document, problems }: ProgramPreview, layout: Layout): string[] {
  const { style, width } = layout;
  const problemLines = problems.flatMap((problem) => wrapped(`  - ${problemText(problem)}`, width));
  if (outcome === "unpublished") {
    const why = `its state is ${printable(state ?? "")}, and only active programs are.`;
    return [style.doubtful(`Not published: ${why}`)];
  }
  if (outcome === "invalid") {
    return [style.bad("Not published, because it breaks a rule:"), ...problemLines];
  }
  const whole = "All that the views give of it is published.";
  const dropped = problemLines.length === 0 ? [whole] : ["Dropped or blanked:", ...problemLines];
  return [...printableJson(document).split("\n"), "", ...dropped];
}

function emptyFields({ neverFilled }: SourcePreview): string {
  if (neverFilled.length === 0) return "";
  const rows = neverFilled.map(({ field, view, column }) => {
    return [field, [view, column].filter((part) => part !== null).join(".")];
  });
  return `Never filled in any of them:\n\n${table(["PUBLIC FIELD", "COMES FROM"], rows)}`;
}
