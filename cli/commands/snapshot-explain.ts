import { Command } from "commander";
import type { TenantId } from "../../core/ids.ts";
import { layoutOf, readerOf } from "../output/layout.ts";
import { tenantHint } from "../publish/snapshot/stored-tenants.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { type Explanation, explainProgram } from "../support/explain.ts";
import { createAskedDatabase } from "../support/facts/asked-database.ts";
import { explanationJson, explanationText } from "../support/texts/program.ts";
import { type BuildWithin, buildWithinOption } from "./build-within-option.ts";
import { asTenantId, sourceProgramId } from "./option-values.ts";

interface ExplainFlags extends BuildWithin {
  readonly tenant: TenantId;
  readonly program: string;
  readonly json: boolean;
}

/** `snapshot explain`: why a program is or isn't served. */
export function snapshotExplain(shell: Shell): Command {
  return new Command()
    .requiredOption("--tenant <id>", "the tenant", asTenantId)
    .requiredOption(
      "--program <id>",
      "the program's id, as partners or the booking system write it",
      sourceProgramId,
    )
    .addOption(buildWithinOption())
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, run));
}

async function run(shell: Shell, flags: ExplainFlags): Promise<ExitStatus> {
  const settings = settingsOf(shell);
  const program = { tenantId: flags.tenant, programId: flags.program };
  const [explanation, hint] = await withStore(settings, async (store) => {
    const database = createAskedDatabase(settings);
    const reader = { ...readerOf(shell), buildWithinMs: flags.buildWithin };
    const explained = await explainProgram({ store, database, reader, signal: shell.signal }, program);
    if (!isTenantUnknown(explained)) return [explained, undefined];
    return [explained, await tenantHint(store, flags.tenant, shell.signal)];
  });
  if (flags.json) printJson(shell, explanationJson(explanation, shell.now()));
  else shell.stdout.write(explanationText(explanation, layoutOf(shell)));
  if (hint === undefined) return 0;
  shell.stderr.write(`partner-programs: Nothing is known of tenant ${flags.tenant}.${hint}\n`);
  return 1;
}

/** Whether nobody knows the tenant (P82). A source that could not be asked does not know it either. */
function isTenantUnknown({ source, store, tenant }: Explanation): boolean {
  if (tenant.removal !== null || tenant.isSandbox) return false;
  return store.kind === "unpublished" && (source.kind === "tenant_unknown" || source.kind === "unavailable");
}
