import { diffText } from "../operate/snapshots/diff-text.ts";
import { compareSnapshots, snapshotBefore } from "../operate/snapshots/snapshot-diff.ts";
import { layoutOf } from "../output/layout.ts";
import { chosenSnapshot } from "../publish/snapshot/stored-snapshot.ts";
import { printJson, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { command, json, optionalArgument, required, value } from "./command.ts";
import { asSnapshotId, asTenantId, wholeNumber } from "./option-values.ts";

/** `snapshot diff`: what partners see differently in two snapshots. */
export const snapshotDiff = command(
  {
    tenant: required("<id>", "the tenant", asTenantId),
    limit: value(
      "<n>",
      "programs compared field by field (default: 50; with --json all)",
      wholeNumber(0, 999_999_999),
    ),
    json,
  },
  async (shell, { tenant, limit, json }, from, to) => {
    const { signal } = shell;
    const maxDetails = limit ?? (json ? Number.POSITIVE_INFINITY : 50);
    const diff = await withStore(settingsOf(shell), async (store) => {
      const { manifest: young, live } = await chosenSnapshot(store, tenant, to, signal);
      const old =
        from === undefined
          ? await snapshotBefore(store, young, live, signal)
          : (await chosenSnapshot(store, tenant, from, signal)).manifest;
      return await compareSnapshots(store, old, young, maxDetails, signal);
    });
    if (json) printJson(shell, { tenantId: tenant, ...diff });
    else shell.stdout.write(diffText(diff, layoutOf(shell)));
  },
  optionalArgument("from", "the older snapshot (default: the one before TO)", asSnapshotId),
  optionalArgument("to", "the newer snapshot (default: the live one)", asSnapshotId),
);
