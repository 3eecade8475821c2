import { parseTenantId, type TenantId } from "../../../../core/ids.ts";
import { explainProgram } from "../../explain/explain-program.ts";
import { explainForm, explainPage } from "../explain-page.ts";
import type { Inspection } from "../inspection.ts";
import type { Page } from "../page.ts";
import { route } from "../route.ts";

interface Input {
  readonly tenantId: TenantId;
  /** As somebody wrote it: what is no id is explained, too. */
  readonly programId: string;
}

export const explainRoute = route({
  pattern: "/tenants/:tenant/explain",
  parse: ({ tenant }, query): Input => ({
    tenantId: parseTenantId(tenant),
    programId: query.get("program")?.trim() ?? "",
  }),
  page,
});

async function page({ tenantId, programId }: Input, inspection: Inspection): Promise<Page> {
  const { store, database, now, signal } = inspection;
  if (programId === "" || programId.length > 500) return explainForm(tenantId);
  return explainPage(await explainProgram(store, database, { tenantId, programId }, now(), signal), now());
}
