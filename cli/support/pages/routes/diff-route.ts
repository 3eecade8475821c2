import { parseSnapshotId, parseTenantId, type SnapshotId, type TenantId } from "../../../../core/ids.ts";
import type { LivePeriod } from "../../../operate/snapshots/live-periods.ts";
import { readLivePeriods } from "../../../operate/snapshots/read-live-periods.ts";
import { compareSnapshots, snapshotBefore } from "../../../operate/snapshots/snapshot-diff.ts";
import { chosenSnapshot } from "../../../publish/snapshot/stored-snapshot.ts";
import { diffPage } from "../diff-page.ts";
import type { Inspection } from "../inspection.ts";
import type { Page } from "../page.ts";
import { route } from "../route.ts";
import { newest } from "../shown-snapshots.ts";

interface Input {
  readonly tenantId: TenantId;
  /** Without one: the snapshot before. */
  readonly from: SnapshotId | undefined;
  /** Without one: what is live. */
  readonly to: SnapshotId | undefined;
}

export const diffRoute = route({
  pattern: "/tenants/:tenant/diff",
  parse: ({ tenant }, query): Input => ({
    tenantId: parseTenantId(tenant),
    from: chosen(query.get("from")),
    to: chosen(query.get("to")),
  }),
  page,
});

function chosen(text: string | null): SnapshotId | undefined {
  return text === null || text === "" ? undefined : parseSnapshotId(text);
}

async function page(input: Input, { store, now, signal }: Inspection): Promise<Page> {
  const { tenantId } = input;
  const { manifest: to, live } = await chosenSnapshot(store, tenantId, input.to, signal);
  const { published, periods } = await readLivePeriods(store, live.pointer, signal);
  const asked = input.from ?? (input.to === undefined ? rolledBackFrom(periods) : undefined);
  const from =
    asked === undefined
      ? await snapshotBefore(store, to, live, signal)
      : (await chosenSnapshot(store, tenantId, asked, signal)).manifest;
  const diff = await compareSnapshots(store, from, to, maxDetails, signal);
  return diffPage({ tenantId, snapshots: newest(published), diff, maxDetails }, now());
}

/** What a rollback took from partners: then the snapshot before in the line of builds says nothing, if there is one at all. */
function rolledBackFrom([live, before]: readonly LivePeriod[]): SnapshotId | undefined {
  return live?.how === "rolled back to" ? before?.snapshotId : undefined;
}

/** A page is read by a person. */
const maxDetails = 50;
