import { layoutOf, readerOf } from "../output/layout.ts";
import { tenantHint } from "../publish/snapshot/stored-tenants.ts";
import { printJson, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { type Explanation, explainProgram } from "../support/explain.ts";
import { createAskedDatabase } from "../support/facts/asked-database.ts";
import { explanationJson, explanationText } from "../support/texts/program.ts";
import { command, json, required } from "./command.ts";
import { asTenantId, buildWithin, sourceProgramId } from "./option-values.ts";

/** `snapshot explain`: why a program is or isn't served. */
export const snapshotExplain = command(
  {
    tenant: required("<id>", "the tenant", asTenantId),
    program: required(
      "<id>",
      "the program's id, as partners or the booking system write it",
      sourceProgramId,
    ),
    buildWithin,
    json,
  },
  async (shell, { tenant: tenantId, program: programId, buildWithin, json }) => {
    const settings = settingsOf(shell);
    const { signal } = shell;
    const [explanation, hint] = await withStore(settings, async (store) => {
      const database = createAskedDatabase(settings);
      const reader = { ...readerOf(shell), buildWithinMs: buildWithin };
      const explained = await explainProgram({ store, database, reader, signal }, { tenantId, programId });
      if (!isTenantUnknown(explained)) return [explained, undefined];
      return [explained, await tenantHint(store, tenantId, signal)];
    });
    if (json) printJson(shell, explanationJson(explanation, shell.now()));
    else shell.stdout.write(explanationText(explanation, layoutOf(shell)));
    if (hint === undefined) return 0;
    shell.stderr.write(`partner-programs: Nothing is known of tenant ${tenantId}.${hint}\n`);
    return 1;
  },
);

/** Whether nobody knows the tenant (P56). A source that could not be asked does not know it either. */
function isTenantUnknown({ source, store, tenant }: Explanation): boolean {
  if (tenant.removal !== null || tenant.isSandbox) return false;
  return store.kind === "unpublished" && (source.kind === "tenant_unknown" || source.kind === "unavailable");
}
