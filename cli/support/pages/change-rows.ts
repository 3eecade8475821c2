import { shown } from "../../operate/snapshots/diff-text.ts";
import type { ProgramChange } from "../../operate/snapshots/program-changes.ts";
import { type Html, html } from "../../output/html.ts";
import { type CsvTable, csvValue } from "./csv.ts";
import { dataTable } from "./parts.ts";

/** Changes field by field: what was, and what is instead. */
export function changeTable(caption: string, changes: readonly ProgramChange[]): Html {
  const table = dataTable(
    caption,
    [{ title: "Field" }, { title: "Before" }, { title: "After" }],
    changes.map(({ path, words }) => [
      html`<span title="${path}">${words.label}</span>`,
      words.before === null
        ? html`<span class="none">nothing</span>`
        : html`<del>${shown(words.before)}</del>`,
      words.after === null ? html`<span class="none">nothing</span>` : html`<ins>${shown(words.after)}</ins>`,
    ]),
  );
  return html`<div class="changes">${table}</div>`;
}

/** The same for a spreadsheet, with whole values. */
export function changesTable(changes: readonly ProgramChange[]): CsvTable {
  const rows = changes.map((change) => [
    change.words.label,
    change.path,
    change.kind === "added" ? null : csvValue(change.before),
    change.kind === "removed" ? null : csvValue(change.after),
  ]);
  return { name: "changes", columns: ["field", "path", "before", "after"], rows };
}
