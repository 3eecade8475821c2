import { parseTenantId } from "../../core/ground/ids.ts";
import { layoutOf } from "../output/layout.ts";
import { tenantHint } from "../publish/snapshot/stored-tenants.ts";
import { printJson, settingsOf } from "../shell/shell.ts";
import { type Explanation, explainProgram } from "../support/explain.ts";
import { createAskedDatabase } from "../support/facts/asked-database.ts";
import { explanationJson, explanationText } from "../support/texts/program.ts";
import { json, required, storeCommand } from "./command.ts";
import { buildWithin, sourceProgramId, supportReader } from "./option-values.ts";

/** `snapshot explain`: why a program is or isn't served. */
export const snapshotExplain = storeCommand(
  {
    tenant: required("<id>", "the tenant", parseTenantId),
    program: required(
      "<id>",
      "the program's id, as partners or the booking system write it",
      sourceProgramId,
    ),
    buildWithin,
    json,
  },
  async (shell, { tenant: tenantId, program: programId, buildWithin, json }, store) => {
    const { signal } = shell;
    const database = createAskedDatabase(settingsOf(shell));
    const reader = supportReader(shell, buildWithin);
    const explanation = await explainProgram({ store, database, reader, signal }, { tenantId, programId });
    if (json) printJson(shell, explanationJson(explanation, shell.now()));
    else shell.stdout.write(explanationText(explanation, layoutOf(shell)));
    if (!isTenantUnknown(explanation)) return 0;
    const hint = await tenantHint(store, tenantId, signal);
    shell.stderr.write(`partner-programs: Nothing is known of tenant ${tenantId}.${hint}\n`);
    return 1;
  },
);

/** Whether nobody knows the tenant (P56). A source that could not be asked does not know it either. */
function isTenantUnknown({ source, store, tenant }: Explanation): boolean {
  if (tenant.removal !== null || tenant.isSandbox) return false;
  return store.kind === "unpublished" && (source.kind === "tenant_unknown" || source.kind === "unavailable");
}
