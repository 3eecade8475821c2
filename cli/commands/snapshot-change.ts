import type { Current } from "../../core/documents/current.ts";
import { asFailure } from "../../core/ground/failure.ts";
import { parseSnapshotId, parseTenantId } from "../../core/ground/ids.ts";
import { tenantPrefix } from "../../core/ground/object-key.ts";
import { printable } from "../../core/ground/printable.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";
import { type Audit, pointerChange } from "../change/audit/audit.ts";
import { type Done, recordedChange } from "../change/audit/recorded-change.ts";
import { pruneRun, pruneText } from "../change/snapshots/prune-run.ts";
import type { PruneContext } from "../change/snapshots/prune-tenant.ts";
import { type Rollback, release, rollback } from "../change/snapshots/rollback.ts";
import { counted } from "../output/words.ts";
import { createFollowLive } from "../publish/snapshot/live-tree.ts";
import { readLiveManifest } from "../publish/snapshot/stored-snapshot.ts";
import { unknownTenant } from "../publish/snapshot/stored-tenants.ts";
import { printJson, printResult, type Shell, settingsOf, withStore } from "../shell/shell.ts";
import { createAskedDatabase, type WithdrawnSince, withdrawnSince } from "../support/facts/asked-database.ts";
import { command, defaulted, expecting, flag, json, required, value } from "./command.ts";
import { reason, wholeNumber } from "./option-values.ts";

/** `snapshot rollback`: makes an earlier snapshot live at once, until the tenant is released. */
export const snapshotRollback = command(
  {
    tenant: required("<id>", "the tenant", parseTenantId),
    to: value("<id>", "this snapshot (default: the one that the live one replaced)", parseSnapshotId),
    allowShrink: flag("also to a snapshot with much fewer programs, or none"),
    reason,
    json,
  },
  async (shell, { tenant, to, allowShrink, reason, json }) => {
    const request = { command: "snapshot rollback", tenants: [tenant], reason };
    return await recordedChange(shell, request, async (store, audit) => {
      const done = await rollback(tenant, { to, allowShrink, reason }, { ...shell, store });
      audit.note([pointerChange(done.before, done.after, done.programsBefore, done.programs)]);
      return {
        // With `--json` the object comes after the question to the database, so this sentence says at once
        // what was done.
        say: () => (json ? shell.stderr : shell.stdout).write(rollbackText(done)),
        follow: async () => {
          // The `live/` folder shows what partners get (P27).
          await createFollowLive(shell, settingsOf(shell))(store, done.after);
          const withdrawn = await withdrawnOf(done.after, store, shell);
          if (json) printJson(shell, rollbackJson(done, withdrawn));
          else shell.stdout.write(withdrawnText(withdrawn));
        },
      };
    });
  },
);

/** Asks the database. That it could not be asked is an answer, too, since the rollback is done. */
async function withdrawnOf(current: Current, store: ObjectStore, shell: Shell): Promise<WithdrawnSince> {
  try {
    const live = await readLiveManifest(store, current, shell.signal);
    return await withdrawnSince(createAskedDatabase(settingsOf(shell)), live, shell.signal);
  } catch (error) {
    return { kind: "unavailable", reason: asFailure(error).message };
  }
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

/** The sentences about programs that the next build takes out again, since they are withdrawn (P20). */
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
export const snapshotRelease = command(
  { tenant: required("<id>", "the tenant", parseTenantId), reason, json },
  async (shell, { tenant, reason, json }) => {
    const request = { command: "snapshot release", tenants: [tenant], reason };
    return await recordedChange(shell, request, async (store, audit) => {
      const { outcome, before, after } = await release(tenant, { ...shell, store });
      audit.note([pointerChange(before, after)]);
      const { snapshotId, generation } = after;
      const next = `Snapshot ${snapshotId} stays live until the next build: \`snapshot build --tenant ${tenant}\`.`;
      const result = outcome === "released" ? `released. ${next}` : "not on hold; nothing was done.";
      const found = { tenantId: tenant, outcome, snapshotId, generation, endedHold: before.hold };
      return {
        say: () => printResult(shell, json, found, `Tenant ${tenant} is ${result}\n`),
        follow: async () => void (await createFollowLive(shell, settingsOf(shell))(store, after)),
      };
    });
  },
);

const hours = expecting("a number of hours, such as 24 or 0.5.", (text) =>
  /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : undefined,
);

/** `snapshot prune`: deletes old snapshots. */
export const snapshotPrune = command(
  {
    tenant: value("<id>", "only this tenant", parseTenantId),
    keep: defaulted("<n>", "snapshots to keep per tenant, the live one counted", wholeNumber(1, 999_999), 10),
    minAge: defaulted("<hours>", "delete nothing that was written or live within this time", hours, 24),
    dryRun: flag("only say what would be deleted"),
    reason,
    json,
  },
  async (shell, { tenant, keep, minAge: minAgeHours, dryRun, reason, json }) => {
    if (minAgeHours < 1) {
      shell.stderr.write(
        "partner-programs: gateways that lose the store go on with an older snapshot for up to SNAPSHOT_MAX_STALE_SECONDS; " +
          "with a shorter --min-age its files may be gone.\n",
      );
    }
    const prune = async (store: ObjectStore, audit?: Audit): Promise<Done> => {
      const onDeleted: PruneContext["onDeleted"] = (tenantId, deletedSnapshots, deletedObjects) =>
        audit?.note([{ kind: "deletion", tenantId, deletedSnapshots, deletedObjects }]);
      const context = { ...shell, store, dryRun, onDeleted };
      const pruned = await pruneRun(tenant, { keep, minAgeHours }, context);
      if (tenant !== undefined && pruned.tenants[0]?.outcome === "unpublished") {
        const what = `Nothing is published for tenant ${tenant}, so there is nothing to prune. Check the id.`;
        throw await unknownTenant(store, tenant, what, shell.signal);
      }
      const failed = pruned.tenants.filter(({ outcome }) => outcome === "failed").length;
      // Without tenants there may be no store, and pruning must not begin one (P160).
      const isTidied = !dryRun && pruned.tenants.length > 0;
      const prefix = tenant === undefined ? "" : tenantPrefix(tenant);
      return {
        say: () => printResult(shell, json, pruned, pruneText(pruned)),
        status: failed === 0 ? 0 : failed === pruned.tenants.length ? 1 : 3,
        follow: async () => (isTidied ? await store.tidy(prefix, { signal: shell.signal }) : undefined),
      };
    };
    // A dry run writes nothing, so it does not probe whether the store honours conditional writes.
    if (dryRun)
      return await withStore(settingsOf(shell), async (store) => {
        const { say, status } = await prune(store);
        say();
        return status;
      });
    const request = { command: "snapshot prune", tenants: tenant === undefined ? [] : [tenant], reason };
    return await recordedChange(shell, request, prune);
  },
);
