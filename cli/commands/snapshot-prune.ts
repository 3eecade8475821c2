import { Command, InvalidArgumentError } from "commander";
import type { TenantId } from "../../core/ids.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import type { Audit } from "../operate/audit/audit.ts";
import { deletions } from "../operate/audit/changes.ts";
import { auditedStatus, withAudit } from "../operate/audit/with-audit.ts";
import { type PruneReport, pruneExitStatus, pruneRun } from "../operate/snapshots/prune-run.ts";
import { pruneText } from "../operate/snapshots/prune-text.ts";
import { layoutOf, printText } from "../output/layout.ts";
import { unknownTenant } from "../publish/snapshot/stored-tenants.ts";
import { withCheckedStore } from "../publish/store/with-checked-store.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { asTenantId, wholeNumber } from "./option-values.ts";
import { type ReasonFlag, reasonOption } from "./reason-option.ts";

interface PruneFlags extends ReasonFlag {
  readonly tenant?: TenantId;
  readonly keep: number;
  readonly minAge: number;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** `snapshot prune`: deletes old snapshots. */
export function snapshotPrune(shell: Shell): Command {
  return new Command()
    .option("--tenant <id>", "only this tenant", asTenantId)
    .option("--keep <n>", "snapshots to keep per tenant, the live one counted", wholeNumber(1, 999_999), 10)
    .option("--min-age <hours>", "delete nothing that was written or live within this time", hours, 24)
    .option("--dry-run", "only say what would be deleted", false)
    .addOption(reasonOption())
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, run));
}

async function run(shell: Shell, flags: PruneFlags): Promise<ExitStatus> {
  if (flags.minAge < 1) {
    shell.stderr.write(
      "partner-programs: gateways that lose the store go on with an older snapshot for up to SNAPSHOT_MAX_STALE_SECONDS; " +
        "with a shorter --min-age its files may be gone.\n",
    );
  }
  const { tenant, keep, minAge: minAgeHours, dryRun, reason } = flags;
  const { now, randomBytes, signal } = shell;
  const prune = async (store: ObjectStore, audit?: Audit): Promise<PruneReport> => {
    const context = { store, dryRun, now, randomBytes, signal };
    const pruned = await pruneRun(tenant, { keep, minAgeHours }, context, (result) =>
      audit?.note(deletions(result)),
    );
    if (tenant === undefined || pruned.tenants[0]?.outcome !== "unpublished") return pruned;
    const what = `Nothing is published for tenant ${tenant}, so there is nothing to prune. Check the id.`;
    throw await unknownTenant(store, tenant, what, signal);
  };
  // A dry run writes nothing, so it does not probe whether the store honours conditional writes.
  const request = { command: "snapshot prune", tenants: tenant === undefined ? [] : [tenant], reason };
  const { result: report, unrecorded } = await (dryRun
    ? withStore(settingsOf(shell), async (store) => ({ result: await prune(store), unrecorded: undefined }))
    : withCheckedStore(shell, (checked) => withAudit(shell, checked, request, prune)));
  if (flags.json) printJson(shell, report);
  else printText(shell, pruneText(report, layoutOf(shell)));
  return auditedStatus(shell, unrecorded, pruneExitStatus(report));
}

function hours(value: string): number {
  if (/^\d{1,6}(\.\d{1,3})?$/.test(value)) return Number(value);
  throw new InvalidArgumentError("Expected a number of hours, such as 24 or 0.5.");
}
