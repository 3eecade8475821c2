import { type ProgramId, parseProgramId, parseTenantId, type TenantId } from "../../../../core/ids.ts";
import type { Inspection } from "../inspection.ts";
import { notFoundPage } from "../not-found-page.ts";
import type { Page } from "../page.ts";
import { programPage } from "../program-page.ts";
import { route } from "../route.ts";
import { shownProgram } from "../shown-program.ts";

interface Input {
  readonly tenantId: TenantId;
  readonly programId: ProgramId;
}

export const programRoute = route({
  pattern: "/tenants/:tenant/programs/:program",
  parse: ({ tenant, program }): Input => ({
    tenantId: parseTenantId(tenant),
    programId: parseProgramId(program),
  }),
  page,
});

async function page({ tenantId, programId }: Input, inspection: Inspection): Promise<Page> {
  return await notFoundPage({ tenantId, programId }, inspection, async () =>
    programPage(await shownProgram(inspection, tenantId, programId, undefined), inspection),
  );
}
