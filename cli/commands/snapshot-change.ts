import { Command, InvalidArgumentError } from "commander";
import type { SnapshotId, TenantId } from "../../core/ids.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { printable } from "../../core/printable.ts";
import type { Audit } from "../operate/audit/audit.ts";
import { deletions, pointerChange } from "../operate/audit/changes.ts";
import { recordedChange } from "../operate/audit/with-audit.ts";
import { type PruneReport, pruneExitStatus, pruneRun } from "../operate/snapshots/prune-run.ts";
import { pruneText } from "../operate/snapshots/prune-text.ts";
import { type Rollback, release, rollback } from "../operate/snapshots/rollback.ts";
import { counted } from "../output/counted.ts";
import { createFollowLive } from "../publish/live-copy/live-tree.ts";
import { readLiveManifest } from "../publish/snapshot/live-snapshot.ts";
import { unknownTenant } from "../publish/snapshot/stored-tenants.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { createAskedDatabase, type WithdrawnSince, withdrawnSince } from "../support/facts/asked-database.ts";
import { asSnapshotId, asTenantId, type ChangeFlags, reasonOption, wholeNumber } from "./option-values.ts";

interface RollbackFlags extends ChangeFlags {
  readonly tenant: TenantId;
  readonly to?: SnapshotId;
  readonly allowShrink: boolean;
}

/** `snapshot rollback`: makes an earlier snapshot live at once. It stays live until the tenant is released. */
export function snapshotRollback(shell: Shell): Command {
  return new Command()
    .requiredOption("--tenant <id>", "the tenant", asTenantId)
    .option("--to <id>", "this snapshot (default: the one that the live one replaced)", asSnapshotId)
    .option("--allow-shrink", "also to a snapshot with much fewer programs, or none", false)
    .addOption(reasonOption())
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, runRollback));
}

async function runRollback(shell: Shell, flags: RollbackFlags): Promise<ExitStatus> {
  const { tenant, to, allowShrink, json, reason } = flags;
  const { now, randomBytes, signal } = shell;
  return await recordedChange(
    shell,
    { command: "snapshot rollback", tenants: [tenant], reason },
    async (store, audit) => {
      const context = { store, now, randomBytes, signal };
      const done = await rollback(tenant, { to, allowShrink, reason }, context);
      audit.note([pointerChange(done.before, done.after, done.programsBefore, done.programs)]);
      return done;
    },
    async (done, store) => {
      // The `live/` folder follows at once, so that it shows what partners get (P30).
      await createFollowLive(shell, settingsOf(shell))(store, done.after);
      const live = await readLiveManifest(store, done.after, signal);
      // The database is asked last, so that a slow one does not delay the rollback.
      const withdrawn = await withdrawnSince(createAskedDatabase(settingsOf(shell)), live, signal);
      if (json) printJson(shell, rollbackJson(done, withdrawn));
      else shell.stdout.write(rollbackText(done) + withdrawnText(withdrawn));
    },
  );
}

function rollbackJson({ outcome, before, after, ...counts }: Rollback, withdrawn: WithdrawnSince): object {
  const { tenantId, snapshotId, generation, hold } = after;
  return {
    tenantId,
    outcome,
    snapshotId,
    previousSnapshotId: before.snapshotId,
    generation,
    hold,
    programs: counts.programs,
    previousPrograms: counts.programsBefore,
    withdrawn: withdrawn.kind === "asked" ? withdrawn.programs : null,
  };
}

function rollbackText({ outcome, before, after, programs, programsBefore }: Rollback): string {
  const { tenantId, snapshotId, hold } = after;
  if (outcome === "already-live") {
    const held = hold === null ? "The tenant is not on hold." : "The tenant stays on hold.";
    return `Snapshot ${snapshotId} of tenant ${tenantId} is the live one already; nothing was done. ${held}\n`;
  }
  return (
    `Tenant ${tenantId}: snapshot ${snapshotId} is live again instead of ${before.snapshotId}, as generation ${after.generation}.\n` +
    `Partners see ${counted(programs, "program")} now; before it was ${programsBefore ?? "an unknown number (its manifest is damaged)"}.\n` +
    `No build replaces it until \`snapshot release --tenant ${tenantId}\`.\n`
  );
}

/** The sentences about programs that the next build takes out again, since the source has withdrawn them (P20). */
function withdrawnText(withdrawn: WithdrawnSince): string {
  if (withdrawn.kind === "unavailable") {
    return (
      `The database could not be asked which of its programs were withdrawn since (${printable(withdrawn.reason)}). ` +
      "The next build takes them out.\n"
    );
  }
  const { programs } = withdrawn;
  if (programs.length === 0) return "The source has withdrawn none of its programs.\n";
  const shown = programs.slice(0, maxShownPrograms).map(printable).join(", ");
  const more = programs.length > maxShownPrograms ? `, and ${programs.length - maxShownPrograms} more` : "";
  return (
    `The source has withdrawn ${programs.length} of its programs meanwhile; the next build takes them out: ` +
    `${shown}${more}.\n`
  );
}

const maxShownPrograms = 20;

/** `snapshot release`: lets builds publish the tenant again. */
export function snapshotRelease(shell: Shell): Command {
  return new Command()
    .requiredOption("--tenant <id>", "the tenant", asTenantId)
    .addOption(reasonOption())
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, runRelease));
}

async function runRelease(
  shell: Shell,
  { tenant, json, reason }: ChangeFlags & { readonly tenant: TenantId },
): Promise<ExitStatus> {
  const { now, randomBytes, signal } = shell;
  return await recordedChange(
    shell,
    { command: "snapshot release", tenants: [tenant], reason },
    async (store, audit) => {
      const done = await release(tenant, { store, now, randomBytes, signal });
      audit.note([pointerChange(done.before, done.after)]);
      return done;
    },
    async ({ outcome, before, after }, store) => {
      await createFollowLive(shell, settingsOf(shell))(store, after);
      const { snapshotId, generation } = after;
      if (json) {
        printJson(shell, { tenantId: tenant, outcome, snapshotId, generation, endedHold: before.hold });
      } else if (outcome === "not-held") {
        shell.stdout.write(`Tenant ${tenant} is not on hold; nothing was done.\n`);
      } else {
        shell.stdout.write(
          `Tenant ${tenant} is released. Snapshot ${snapshotId} stays live until the next build: \`snapshot build --tenant ${tenant}\`.\n`,
        );
      }
    },
  );
}

interface PruneFlags extends ChangeFlags {
  readonly tenant?: TenantId;
  readonly keep: number;
  readonly minAge: number;
  readonly dryRun: boolean;
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
    .action(action(shell, runPrune));
}

async function runPrune(shell: Shell, flags: PruneFlags): Promise<ExitStatus> {
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
  const print = (report: PruneReport): ExitStatus => {
    if (flags.json) printJson(shell, report);
    else shell.stdout.write(pruneText(report));
    return pruneExitStatus(report);
  };
  // A dry run writes nothing, so it does not probe whether the store honours conditional writes.
  if (dryRun) return print(await withStore(settingsOf(shell), (store) => prune(store)));
  const request = { command: "snapshot prune", tenants: tenant === undefined ? [] : [tenant], reason };
  return await recordedChange(shell, request, prune, print);
}

function hours(value: string): number {
  if (/^\d{1,6}(\.\d{1,3})?$/.test(value)) return Number(value);
  throw new InvalidArgumentError("Expected a number of hours, such as 24 or 0.5.");
}
