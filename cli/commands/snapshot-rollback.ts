import { Command } from "commander";
import { parseSnapshotId, parseTenantId, type SnapshotId, type TenantId } from "../../core/ids.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { createFollowLive } from "../snapshot/live-copy.ts";
import { type Rollback, rollback } from "../snapshot/rollback.ts";
import { withCheckedStore } from "../store-check/with-checked-store.ts";
import { parsedOption } from "./parsed-option.ts";

interface RollbackFlags {
  readonly tenant: TenantId;
  readonly to?: SnapshotId;
  readonly json: boolean;
}

/** `snapshot rollback`: an earlier snapshot for partners, at once, and until it is released. */
export function snapshotRollback(shell: Shell): Command {
  return new Command()
    .requiredOption("--tenant <id>", "the tenant", parsedOption(parseTenantId))
    .option(
      "--to <id>",
      "this snapshot (default: the one that the live one replaced)",
      parsedOption(parseSnapshotId),
    )
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, (flags: RollbackFlags) => run(shell, flags)));
}

async function run(shell: Shell, { tenant, to, json }: RollbackFlags): Promise<ExitStatus> {
  const { now, randomBytes, signal } = shell;
  const result = await withCheckedStore(shell, async (store) => {
    const done = await rollback(tenant, to, { store, now, randomBytes, signal });
    // P73: people who open the folder see what partners get.
    await createFollowLive(shell, settingsOf(shell))(store, done.after);
    return done;
  });
  const { outcome, before, after } = result;
  if (json) {
    const { snapshotId, generation, hold } = after;
    const previousSnapshotId = before.snapshotId;
    printJson(shell, { tenantId: tenant, outcome, snapshotId, previousSnapshotId, generation, hold });
  } else shell.stdout.write(rollbackText(result));
  return 0;
}

function rollbackText({ outcome, before, after }: Rollback): string {
  const { tenantId, snapshotId, hold } = after;
  if (outcome === "already-live") {
    const held = hold === null ? "The tenant is not on hold." : "The tenant stays on hold.";
    return `Snapshot ${snapshotId} of tenant ${tenantId} is the live one already; nothing was done. ${held}\n`;
  }
  return (
    `Tenant ${tenantId}: snapshot ${snapshotId} is live again instead of ${before.snapshotId}, as generation ${after.generation}.\n` +
    `No build replaces it until \`snapshot release --tenant ${tenantId}\`.\n`
  );
}
