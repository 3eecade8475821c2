import { Command } from "commander";
import type { SnapshotId, TenantId } from "../../core/ids.ts";
import { printable } from "../../core/printable.ts";
import { pointerChange } from "../operate/audit/changes.ts";
import { auditedStatus, withAudit } from "../operate/audit/with-audit.ts";
import { type Rollback, rollback } from "../operate/snapshots/rollback.ts";
import { counted } from "../output/counted.ts";
import { createFollowLive } from "../publish/live-copy/live-tree.ts";
import { readLiveManifest } from "../publish/snapshot/live-snapshot.ts";
import { withCheckedStore } from "../publish/store/with-checked-store.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { createAskedDatabase } from "../support/facts/asked-database.ts";
import { type WithdrawnSince, withdrawnSince } from "../support/facts/source-questions.ts";
import { asSnapshotId, asTenantId } from "./option-values.ts";
import { type ReasonFlag, reasonOption } from "./reason-option.ts";

interface RollbackFlags extends ReasonFlag {
  readonly tenant: TenantId;
  readonly to?: SnapshotId;
  readonly allowShrink: boolean;
  readonly json: boolean;
}

/** `snapshot rollback`: makes an earlier snapshot live at once. It stays live until the tenant is released. */
export function snapshotRollback(shell: Shell): Command {
  return new Command()
    .requiredOption("--tenant <id>", "the tenant", asTenantId)
    .option("--to <id>", "this snapshot (default: the one that the live one replaced)", asSnapshotId)
    .option("--allow-shrink", "also to a snapshot with much fewer programs, or none", false)
    .addOption(reasonOption())
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, run));
}

async function run(shell: Shell, flags: RollbackFlags): Promise<ExitStatus> {
  const { tenant, to, allowShrink, json, reason } = flags;
  const request = { command: "snapshot rollback", tenants: [tenant], reason };
  const { result, live, unrecorded } = await withCheckedStore(shell, async (store) => {
    const { now, randomBytes, signal } = shell;
    const { result, unrecorded } = await withAudit(shell, store, request, async (watched, audit) => {
      const context = { store: watched, now, randomBytes, signal };
      const done = await rollback(tenant, { to, allowShrink, reason }, context);
      audit.note([pointerChange(done.before, done.after, done.programsBefore, done.programs)]);
      return done;
    });
    // The `live/` folder follows at once, so that it shows what partners get (P30).
    await createFollowLive(shell, settingsOf(shell))(store, result.after);
    return { result, live: await readLiveManifest(store, result.after, signal), unrecorded };
  });
  const { outcome, before, after } = result;
  // The database is asked last, so that a slow one does not delay the rollback.
  const withdrawn = await withdrawnSince(createAskedDatabase(settingsOf(shell)), live, shell.signal);
  if (json) {
    const { snapshotId, generation, hold } = after;
    const previousSnapshotId = before.snapshotId;
    const programs = withdrawn.kind === "asked" ? withdrawn.programs : null;
    printJson(shell, {
      tenantId: tenant,
      outcome,
      snapshotId,
      previousSnapshotId,
      generation,
      hold,
      programs: result.programs,
      previousPrograms: result.programsBefore,
      withdrawn: programs,
    });
  } else shell.stdout.write(rollbackText(result) + withdrawnText(withdrawn));
  return auditedStatus(shell, unrecorded);
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
