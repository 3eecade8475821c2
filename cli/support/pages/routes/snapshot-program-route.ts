import { parseProgramId, parseSnapshotId, parseTenantId } from "../../../../core/ids.ts";
import { notFoundPage } from "../not-found-page.ts";
import { programPage } from "../program-page.ts";
import { route } from "../route.ts";
import { shownProgram } from "../shown-program.ts";

/** P76: a program as it is in one snapshot, whatever became of it. */
export const snapshotProgramRoute = route({
  pattern: "/tenants/:tenant/snapshots/:snapshot/programs/:program",
  parse: ({ tenant, snapshot, program }) => ({
    tenantId: parseTenantId(tenant),
    snapshotId: parseSnapshotId(snapshot),
    programId: parseProgramId(program),
  }),
  page: async ({ tenantId, snapshotId, programId }, inspection) =>
    await notFoundPage({ tenantId, programId }, inspection, async () =>
      programPage(await shownProgram(inspection, tenantId, programId, snapshotId), inspection),
    ),
});
