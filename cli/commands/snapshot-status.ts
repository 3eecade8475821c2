import { Command } from "commander";
import { Failure } from "../../core/failure.ts";
import { parseTenantId, type TenantId } from "../../core/ids.ts";
import { layoutOf } from "../presentation/layout.ts";
import { statusFacts, statusTable } from "../presentation/status-text.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { statusJson } from "../support/status-json.ts";
import { tenantStatus } from "../support/tenant-status.ts";
import { parsedOption } from "./parsed-option.ts";

interface StatusFlags {
  readonly tenant?: TenantId;
  readonly json: boolean;
}

/** `snapshot status`: what is live, how old it is, and how the last run went. */
export function snapshotStatus(shell: Shell): Command {
  return new Command()
    .option("--tenant <id>", "only this tenant, with all details", parsedOption(parseTenantId))
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, (flags: StatusFlags) => run(shell, flags)));
}

async function run(shell: Shell, flags: StatusFlags): Promise<ExitStatus> {
  const now = shell.now();
  const report = await withStore(settingsOf(shell), (store) =>
    tenantStatus(store, flags.tenant, now, shell.signal),
  );
  const [first] = report.tenants;
  if (flags.tenant !== undefined && (!first || isUnknown(first))) throw unknownTenant(flags.tenant);
  if (flags.json) printJson(shell, statusJson(report, now));
  else if (first === undefined) shell.stderr.write("Nothing was published yet; see `snapshot build`.\n");
  else if (flags.tenant === undefined) shell.stdout.write(statusTable(report, layoutOf(shell)));
  else shell.stdout.write(statusFacts(first, layoutOf(shell)));
  return 0;
}

function isUnknown({ live, fault, lastRun }: { live: unknown; fault: unknown; lastRun: unknown }): boolean {
  return live === null && fault === null && lastRun === null;
}

function unknownTenant(tenantId: TenantId): Failure {
  return new Failure(
    "not_found",
    `The store has nothing of tenant ${tenantId}, and no recent run names it. \`snapshot status\` lists the tenants.`,
  );
}
