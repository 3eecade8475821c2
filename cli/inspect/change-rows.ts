import { shown } from "../presentation/diff-text.ts";
import type { JsonChange } from "../snapshot/json-changes.ts";
import { type Html, html } from "./html.ts";
import { dataTable } from "./parts.ts";

/** Changes field by field: what was, and what is instead. */
export function changeTable(caption: string, changes: readonly JsonChange[]): Html {
  const table = dataTable(
    caption,
    [{ title: "Field" }, { title: "Before" }, { title: "After" }],
    changes.map((change) => [
      html`<code>${change.path}</code>`,
      change.kind === "added"
        ? html`<span class="none">nothing</span>`
        : html`<del>${shown(change.before)}</del>`,
      change.kind === "removed"
        ? html`<span class="none">nothing</span>`
        : html`<ins>${shown(change.after)}</ins>`,
    ]),
  );
  return html`<div class="changes">${table}</div>`;
}
