import { Command } from "commander";
import type { TenantId } from "../../core/ids.ts";
import { pointerChange } from "../operate/audit/changes.ts";
import { auditedStatus, withAudit } from "../operate/audit/with-audit.ts";
import { release } from "../operate/snapshots/release.ts";
import { createFollowLive } from "../publish/live-copy/live-tree.ts";
import { withCheckedStore } from "../publish/store/with-checked-store.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { asTenantId } from "./option-values.ts";
import { type ReasonFlag, reasonOption } from "./reason-option.ts";

interface ReleaseFlags extends ReasonFlag {
  readonly tenant: TenantId;
  readonly json: boolean;
}

/** `snapshot release`: lets builds publish the tenant again. */
export function snapshotRelease(shell: Shell): Command {
  return new Command()
    .requiredOption("--tenant <id>", "the tenant", asTenantId)
    .addOption(reasonOption())
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, run));
}

async function run(shell: Shell, { tenant, json, reason }: ReleaseFlags): Promise<ExitStatus> {
  const { now, randomBytes, signal } = shell;
  const request = { command: "snapshot release", tenants: [tenant], reason };
  const { result, unrecorded } = await withCheckedStore(shell, async (store) => {
    const released = await withAudit(shell, store, request, async (watched, audit) => {
      const done = await release(tenant, { store: watched, now, randomBytes, signal });
      audit.note([pointerChange(done.before, done.after)]);
      return done;
    });
    await createFollowLive(shell, settingsOf(shell))(store, released.result.after);
    return released;
  });
  const { outcome, before, after } = result;
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
  return auditedStatus(shell, unrecorded);
}
