import { Command } from "commander";
import { parseSnapshotId, parseTenantId, type SnapshotId, type TenantId } from "../../core/ids.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { diffText } from "../operate/snapshots/diff-text.ts";
import { compareSnapshots as difference, snapshotBefore } from "../operate/snapshots/snapshot-diff.ts";
import { layoutOf, printText } from "../output/layout.ts";
import { chosenSnapshot } from "../publish/snapshot/stored-snapshot.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { parsedOption, wholeNumber } from "./option-values.ts";

interface DiffFlags {
  readonly tenant: TenantId;
  readonly limit?: number;
  readonly json: boolean;
}

/** `snapshot diff`: what partners see differently in two snapshots. */
export function snapshotDiff(shell: Shell): Command {
  return new Command()
    .requiredOption("--tenant <id>", "the tenant", parsedOption(parseTenantId))
    .argument("[from]", "the older snapshot (default: the one before TO)", parsedOption(parseSnapshotId))
    .argument("[to]", "the newer snapshot (default: the live one)", parsedOption(parseSnapshotId))
    .option(
      "--limit <n>",
      "programs compared field by field (default: 50; with --json all)",
      wholeNumber(0, 999_999_999),
    )
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(
      action(shell, (from: SnapshotId | undefined, to: SnapshotId | undefined, flags: DiffFlags) =>
        run(shell, { ...flags, from, to }),
      ),
    );
}

type DiffRequest = DiffFlags & { readonly from: SnapshotId | undefined; readonly to: SnapshotId | undefined };

async function run(shell: Shell, request: DiffRequest): Promise<ExitStatus> {
  const maxDetails = request.limit ?? (request.json ? Number.POSITIVE_INFINITY : defaultLimit);
  const diff = await withStore(settingsOf(shell), async (store) => {
    const [from, to] = await sides(store, request, shell.signal);
    return await difference(store, from, to, maxDetails, shell.signal);
  });
  if (request.json) printJson(shell, { tenantId: request.tenant, ...diff });
  else printText(shell, diffText(diff, layoutOf(shell)));
  return 0;
}

async function sides(
  store: ObjectStore,
  { tenant, from, to }: DiffRequest,
  signal: AbortSignal,
): Promise<readonly [Manifest, Manifest]> {
  const { manifest: young, live } = await chosenSnapshot(store, tenant, to, signal);
  if (from === undefined) return [await snapshotBefore(store, young, live, signal), young];
  const { manifest: old } = await chosenSnapshot(store, tenant, from, signal);
  return [old, young];
}

const defaultLimit = 50;
