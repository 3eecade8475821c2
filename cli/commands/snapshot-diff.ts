import { Command } from "commander";
import type { SnapshotId, TenantId } from "../../core/ids.ts";
import { diffText } from "../operate/snapshots/diff-text.ts";
import { compareSnapshots as difference, snapshotBefore } from "../operate/snapshots/snapshot-diff.ts";
import { layoutOf } from "../output/layout.ts";
import { chosenSnapshot } from "../publish/snapshot/stored-snapshot.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { asSnapshotId, asTenantId, wholeNumber } from "./option-values.ts";

interface DiffFlags {
  readonly tenant: TenantId;
  readonly limit?: number;
  readonly json: boolean;
}

/** `snapshot diff`: what partners see differently in two snapshots. */
export function snapshotDiff(shell: Shell): Command {
  return new Command()
    .requiredOption("--tenant <id>", "the tenant", asTenantId)
    .argument("[from]", "the older snapshot (default: the one before TO)", asSnapshotId)
    .argument("[to]", "the newer snapshot (default: the live one)", asSnapshotId)
    .option(
      "--limit <n>",
      "programs compared field by field (default: 50; with --json all)",
      wholeNumber(0, 999_999_999),
    )
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, run));
}

async function run(
  shell: Shell,
  from: SnapshotId | undefined,
  to: SnapshotId | undefined,
  { tenant, limit, json }: DiffFlags,
): Promise<ExitStatus> {
  const { signal } = shell;
  const maxDetails = limit ?? (json ? Number.POSITIVE_INFINITY : defaultLimit);
  const diff = await withStore(settingsOf(shell), async (store) => {
    const { manifest: young, live } = await chosenSnapshot(store, tenant, to, signal);
    const old =
      from === undefined
        ? await snapshotBefore(store, young, live, signal)
        : (await chosenSnapshot(store, tenant, from, signal)).manifest;
    return await difference(store, old, young, maxDetails, signal);
  });
  if (json) printJson(shell, { tenantId: tenant, ...diff });
  else shell.stdout.write(diffText(diff, layoutOf(shell)));
  return 0;
}

const defaultLimit = 50;
