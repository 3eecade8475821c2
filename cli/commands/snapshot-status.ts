import { Command } from "commander";
import type { TenantId } from "../../core/ids.ts";
import { printable } from "../../core/printable.ts";
import { recentAnswers } from "../operate/gateway-log/recent-answers.ts";
import { layoutOf, readerOf } from "../output/layout.ts";
import { unknownTenant } from "../publish/snapshot/stored-tenants.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { readTenants } from "../support/facts/tenants.ts";
import { whereNothingIs } from "../support/facts/where-nothing-is.ts";
import { isUnknown, judgedTenants } from "../support/judgement/tenant.ts";
import { statusJson, statusTable, tenantStatus } from "../support/texts/status.ts";
import { type BuildWithin, buildWithinOption } from "./build-within-option.ts";
import { logOption, namedLogs } from "./log-option.ts";
import { asTenantId } from "./option-values.ts";

interface StatusFlags extends BuildWithin {
  readonly tenant?: TenantId;
  readonly log?: readonly string[];
  readonly json: boolean;
}

/** `snapshot status`: what is live, how old it is, how the last run went, and what partners got in the last hour. */
export function snapshotStatus(shell: Shell): Command {
  return new Command()
    .option("--tenant <id>", "only this tenant, with all details", asTenantId)
    .addOption(logOption("for what partners got in the last hour (default: PARTNER_PROGRAMS_LOG)"))
    .addOption(buildWithinOption())
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, run));
}

async function run(
  shell: Shell,
  { tenant: only, log: named, json, buildWithin }: StatusFlags,
): Promise<ExitStatus> {
  const { signal } = shell;
  const reader = { ...readerOf(shell), buildWithinMs: buildWithin };
  const settings = settingsOf(shell);
  const sources = namedLogs(shell, settings, named);
  const { report, nothing } = await withStore(settings, async (store) => {
    const log = sources.length === 0 ? undefined : await recentAnswers(sources, reader.now, signal);
    const reading = await readTenants({ store, only, log, signal });
    const report = judgedTenants(reading, reader);
    if (!report.tenants.every(isUnknown)) return { report, nothing: "" };
    const nothing = await whereNothingIs(store, shell);
    if (only !== undefined) throw await unknownTenant(store, only, `${nothingOf(only)} ${nothing}`, signal);
    return { report, nothing };
  });
  if (json) printJson(shell, statusJson(report, reader.now));
  else if (report.tenants.length === 0) {
    shell.stderr.write(`Nothing was published yet. ${printable(nothing)}\n`);
  } else if (only === undefined) shell.stdout.write(statusTable(report, layoutOf(shell)));
  else shell.stdout.write(tenantStatus(report, layoutOf(shell)));
  return 0;
}

function nothingOf(tenantId: TenantId): string {
  return `The store has nothing of tenant ${tenantId}, and no recent run names it. \`snapshot status\` lists the tenants.`;
}
