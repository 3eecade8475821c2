import { parseSnapshotId, parseTenantId } from "../../../../core/ids.ts";
import { isProgramListResponse } from "../../../../schemas/generated/validators-published.ts";
import { chosenSnapshot } from "../../../publish/snapshot/stored-snapshot.ts";
import { searchPrograms } from "../program-search.ts";
import { route } from "../route.ts";
import { snapshotPage } from "../snapshot-page.ts";
import { storedJson } from "../stored-json.ts";

export const snapshotRoute = route({
  pattern: "/tenants/:tenant/snapshots/:snapshot",
  parse: ({ tenant, snapshot }, query) => ({
    tenantId: parseTenantId(tenant),
    snapshotId: parseSnapshotId(snapshot),
    query: query.get("q")?.trim() ?? "",
    pageNumber: Number(query.get("page") ?? 1) || 1,
  }),
  page: async ({ tenantId, snapshotId, query, pageNumber }, { store, now, signal }) => {
    const { manifest, isLive } = await chosenSnapshot(store, tenantId, snapshotId, signal);
    const list = await storedJson(store, manifest.list, signal);
    const programs = isProgramListResponse(list) ? list.data : [];
    const found = searchPrograms(programs, query, pageNumber);
    return snapshotPage({ manifest, isLive, query, found }, now());
  },
});
