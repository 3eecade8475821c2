import { Command } from "commander";
import type { TenantId } from "../../core/ids.ts";
import { snapshotListText } from "../operate/snapshots/snapshot-list-text.ts";
import { readTenantSnapshots } from "../operate/snapshots/tenant-snapshots.ts";
import { layoutOf, printText } from "../output/layout.ts";
import { readPublishedPointer } from "../publish/snapshot/live-snapshot.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { asTenantId } from "./option-values.ts";

interface ListFlags {
  readonly tenant: TenantId;
  readonly json: boolean;
}

/** `snapshot list`: the snapshot that partners see, and the earlier ones that are kept. */
export function snapshotList(shell: Shell): Command {
  return new Command()
    .requiredOption("--tenant <id>", "the tenant", asTenantId)
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, run));
}

async function run(shell: Shell, { tenant, json }: ListFlags): Promise<ExitStatus> {
  const { signal } = shell;
  const [pointer, snapshots] = await withStore(settingsOf(shell), async (store) => {
    const read = await readPublishedPointer(store, tenant, signal);
    return [read, await readTenantSnapshots(store, read, signal)] as const;
  });
  const { current } = pointer;
  if (json) {
    printJson(shell, {
      tenantId: tenant,
      snapshotId: current.snapshotId,
      generation: current.generation,
      hold: current.hold,
      snapshots: snapshots.published,
      damaged: snapshots.damaged.map(({ snapshotId, failure }) => ({ snapshotId, message: failure.message })),
    });
    return 0;
  }
  printText(shell, snapshotListText(current, snapshots, layoutOf(shell)));
  for (const { failure } of snapshots.damaged) shell.stderr.write(`damaged: ${failure.message}\n`);
  return 0;
}
