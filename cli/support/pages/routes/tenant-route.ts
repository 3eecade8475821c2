import { Failure } from "../../../../core/failure.ts";
import { parseTenantId, type TenantId } from "../../../../core/ids.ts";
import { isProgramListResponse } from "../../../../schemas/generated/validators-published.ts";
import { readTenantSnapshots } from "../../../operate/snapshots/tenant-snapshots.ts";
import { publishedSnapshot } from "../../../publish/snapshot/stored-snapshot.ts";
import { type TenantStatus, tenantStatus } from "../../tenant-status.ts";
import type { Inspection } from "../inspection.ts";
import type { Page } from "../page.ts";
import { searchPrograms } from "../program-search.ts";
import { route } from "../route.ts";
import { newest } from "../shown-snapshots.ts";
import { storedJson } from "../stored-json.ts";
import { tenantPage } from "../tenant-page.ts";

interface Input {
  readonly tenantId: TenantId;
  readonly text: string;
  readonly pageNumber: number;
}

export const tenantRoute = route({
  pattern: "/tenants/:tenant",
  parse: ({ tenant }, query): Input => ({
    tenantId: parseTenantId(tenant),
    text: query.get("q")?.trim() ?? "",
    pageNumber: Number(query.get("page") ?? 1) || 1,
  }),
  page,
});

async function page({ tenantId, text, pageNumber }: Input, inspection: Inspection): Promise<Page> {
  const { store, now, signal } = inspection;
  const { tenants } = await tenantStatus(store, tenantId, now(), signal);
  const [status] = tenants;
  if (status === undefined || isUnknown(status)) {
    throw new Failure("not_found", `The store has nothing of tenant ${tenantId}.`);
  }
  if (status.live === null)
    return tenantPage({ status, query: text, found: null, snapshots: [], totalSnapshots: 0 }, now());
  const live = await publishedSnapshot(store, tenantId, signal);
  if (live === undefined) throw new Failure("not_found", `Tenant ${tenantId} is not published any more.`);
  const list = await storedJson(store, live.manifest.list, signal);
  const programs = isProgramListResponse(list) ? list.data : [];
  const { published } = await readTenantSnapshots(store, live.pointer, signal);
  const found = searchPrograms(programs, text, pageNumber);
  const shown = { snapshots: newest(published), totalSnapshots: published.length };
  return tenantPage({ status, query: text, found, ...shown }, now());
}

function isUnknown({ live, fault, removedAt, lastRun }: TenantStatus): boolean {
  return live === null && fault === null && removedAt === null && lastRun === null;
}
