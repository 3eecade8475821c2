import { Command } from "commander";
import type { SnapshotId, TenantId } from "../../core/ids.ts";
import { printable } from "../../core/printable.ts";
import { exportSnapshot } from "../operate/snapshots/export-snapshot.ts";
import { numberText } from "../output/counted.ts";
import { chosenSnapshot } from "../publish/snapshot/stored-snapshot.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { asSnapshotId, asTenantId } from "./option-values.ts";

interface ExportFlags {
  readonly tenant: TenantId;
  readonly out: string;
  readonly snapshot?: SnapshotId;
  readonly json: boolean;
}

/** `snapshot export`: a snapshot as plain files, for any web server or archive. */
export function snapshotExport(shell: Shell): Command {
  return new Command()
    .requiredOption("--tenant <id>", "the tenant", asTenantId)
    .requiredOption("--out <dir>", "the folder to write: a new or an empty one")
    .option("--snapshot <id>", "this snapshot instead of the live one", asSnapshotId)
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, run));
}

async function run(shell: Shell, { tenant, out, snapshot, json }: ExportFlags): Promise<ExitStatus> {
  const { signal } = shell;
  const [snapshotId, exported] = await withStore(settingsOf(shell), async (store) => {
    const { manifest } = await chosenSnapshot(store, tenant, snapshot, signal);
    return [manifest.snapshotId, await exportSnapshot(store, manifest, out, signal)] as const;
  });
  if (json) printJson(shell, { tenantId: tenant, snapshotId, ...exported });
  else {
    const { directory, files, bytes } = exported;
    const size = `${numberText(files)} files, ${numberText(bytes)} bytes`;
    shell.stdout.write(`Snapshot ${snapshotId} of tenant ${tenant}: ${size} in ${printable(directory)}\n`);
  }
  return 0;
}
