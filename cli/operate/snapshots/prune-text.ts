import { printableLines } from "../../../core/printable.ts";
import { numberText } from "../../output/counted.ts";
import { numbers, table } from "../../output/table.ts";
import type { PruneReport, SharedPrune, TenantPruneResult } from "./prune-run.ts";

/** What was deleted, or would be, per tenant; what failed below. */
export function pruneText(report: PruneReport): string {
  const { dryRun, tenants, runs, probes } = report;
  const deleted = numbers(dryRun ? "TO DELETE" : "DELETED");
  const titles = ["TENANT", "RESULT", numbers("KEPT"), deleted, numbers("OBJECTS"), numbers("BYTES")];
  const rows = tenants.map((result) => [
    result.tenantId,
    outcomeText(result, dryRun),
    String(result.kept.length),
    String(result.deletedSnapshots.length),
    numberText(result.deletedObjects),
    numberText(result.deletedBytes),
  ]);
  const lines = rows.length === 0 ? "" : table(titles, rows);
  const failures = tenants.flatMap(({ tenantId, failure }) =>
    failure === null ? [] : [`failed: ${tenantId}: ${printableLines(failure.message)}\n`],
  );
  const rest = [sharedText("run reports", runs, dryRun), sharedText("probes", probes, dryRun)].join("");
  const end = dryRun ? "Dry run: nothing was deleted.\n" : "";
  return [lines, failures.join(""), rest + end].filter((text) => text !== "").join("\n");
}

function outcomeText({ outcome }: TenantPruneResult, dryRun: boolean): string {
  switch (outcome) {
    case "pruned":
      return dryRun ? "would prune" : "pruned";
    case "nothing-to-do":
      return "nothing to do";
    case "unpublished":
      return "never published, left alone";
    case "failed":
      return "failed";
  }
}

function sharedText(what: string, shared: SharedPrune | null, dryRun: boolean): string {
  if (shared === null || shared.deletedObjects === 0) return "";
  return `${numberText(shared.deletedObjects)} old ${what} ${dryRun ? "to delete" : "deleted"}.\n`;
}
