import { shown } from "../../operate/snapshots/diff-text.ts";
import type { ProgramChange } from "../../operate/snapshots/program-changes.ts";
import { type Html, html } from "../../output/html.ts";
import { type CsvTable, type CsvValue, csvValue } from "./csv.ts";
import { dataTable } from "./parts.ts";

export function changeTable(caption: string, changes: readonly ProgramChange[]): Html {
  const nothing = html`<span class="none">nothing</span>`;
  const table = dataTable(caption, changes, {
    Field: ({ path, words }) => html`<span title="${path}">${words.label}</span>`,
    Before: ({ words }) => (words.before === null ? nothing : html`<del>${shown(words.before)}</del>`),
    After: ({ words }) => (words.after === null ? nothing : html`<ins>${shown(words.after)}</ins>`),
  });
  return html`<div class="changes">${table}</div>`;
}

export function changesTable(changes: readonly ProgramChange[]): CsvTable {
  return { name: "changes", columns: changeColumns, rows: changes.map(changeCells) };
}

export const changeColumns = ["field", "path", "before", "after"];

export function changeCells(change: ProgramChange): readonly CsvValue[] {
  const { kind, path, words } = change;
  const before = kind === "added" ? null : csvValue(change.before);
  const after = kind === "removed" ? null : csvValue(change.after);
  return [words.label, path, before, after];
}
