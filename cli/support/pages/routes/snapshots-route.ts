import { parseTenantId } from "../../../../core/ids.ts";
import { periodsAt } from "../../../operate/snapshots/live-periods.ts";
import { readLivePeriods } from "../../../operate/snapshots/read-live-periods.ts";
import { readPublishedPointer } from "../../../publish/snapshot/live-snapshot.ts";
import { readRemoved } from "../../read-removed.ts";
import { chosenTime, seenUntil } from "../as-of.ts";
import { route } from "../route.ts";
import { snapshotsPage } from "../snapshots-page.ts";

export const snapshotsRoute = route({
  pattern: "/tenants/:tenant/snapshots",
  parse: ({ tenant }, query) => ({
    tenantId: parseTenantId(tenant),
    pageNumber: Number(query.get("page") ?? 1) || 1,
    at: chosenTime(query.get("at")),
  }),
  page: async ({ tenantId, pageNumber, at }, { store, now, signal }) => {
    const pointer = await readPublishedPointer(store, tenantId, signal);
    const history = await readLivePeriods(store, pointer, signal);
    const { removed } = await readRemoved(store, signal);
    const removedAt = removed.get(tenantId)?.removedAt ?? null;
    const asOf = at && { at, found: periodsAt(history.periods, at), removedAt };
    const periods = history.periods.map((period) => seenUntil(period, removedAt));
    return snapshotsPage({ tenantId, ...history, periods, pageNumber, asOf }, now());
  },
});
