import { Command } from "commander";
import { parseTenantId, type TenantId } from "../../core/ids.ts";
import { printable } from "../../core/printable.ts";
import { settingText } from "../../core/setting-parser.ts";
import { layoutOf, printText } from "../output/layout.ts";
import { unknownTenant } from "../publish/snapshot/unknown-tenant.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { statusJson } from "../support/status-json.ts";
import { statusFacts, statusTable } from "../support/status-text.ts";
import { type TenantStatus, tenantStatus } from "../support/tenant-status.ts";
import { whereNothingIs } from "../support/where-nothing-is.ts";
import { parsedOption } from "./option-values.ts";

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
  const { report, nothing } = await withStore(settingsOf(shell), async (store) => {
    const report = await tenantStatus(store, flags.tenant, now, shell.signal);
    if (!report.tenants.every(isUnknown)) return { report, nothing: "" };
    const isSet = settingText("STORE_URL", shell.env) !== undefined;
    const nothing = await whereNothingIs(store, isSet, shell.signal);
    if (flags.tenant !== undefined) {
      throw await unknownTenant(store, flags.tenant, `${nothingOf(flags.tenant)} ${nothing}`, shell.signal);
    }
    return { report, nothing };
  });
  const [first] = report.tenants;
  if (flags.json) printJson(shell, statusJson(report, now));
  else if (first === undefined) shell.stderr.write(`Nothing was published yet. ${printable(nothing)}\n`);
  else if (flags.tenant === undefined) printText(shell, statusTable(report, layoutOf(shell)));
  else shell.stdout.write(statusFacts(first, layoutOf(shell)));
  return 0;
}

/** Whether nothing is known of the tenant (P82). A run that was asked for it and did not find it proves nothing. */
function isUnknown({ live, fault, removedAt, lastRun }: TenantStatus): boolean {
  return (
    live === null &&
    fault === null &&
    removedAt === null &&
    (lastRun?.failure?.code ?? "not_found") === "not_found"
  );
}

function nothingOf(tenantId: TenantId): string {
  return `The store has nothing of tenant ${tenantId}, and no recent run names it. \`snapshot status\` lists the tenants.`;
}
