import { parseTenantId } from "../../core/ground/ids.ts";
import { printable } from "../../core/ground/printable.ts";
import { layoutOf } from "../output/layout.ts";
import { unknownTenant } from "../publish/snapshot/stored-tenants.ts";
import { whereNothingIs } from "../read/administration/known-tenant.ts";
import { recentAnswers } from "../read/gateway-log/recent-answers.ts";
import { printJson } from "../shell/shell.ts";
import { readTenantFacts } from "../support/facts/tenants.ts";
import { isUnknown, judgedTenants } from "../support/judgement/tenant.ts";
import { statusJson, statusTable, tenantStatus } from "../support/texts/status.ts";
import { json, storeCommand, value } from "./command.ts";
import { buildWithin, logFlag, namedLogs, supportReader } from "./option-values.ts";

/** `snapshot status`: what is live, how old, how the last run went, what partners got in the last hour. */
export const snapshotStatus = storeCommand(
  {
    tenant: value("<id>", "only this tenant, with all details", parseTenantId),
    log: logFlag("for what partners got in the last hour (default: PARTNER_PROGRAMS_LOG)"),
    buildWithin,
    json,
  },
  async (shell, { tenant: only, log: named, buildWithin, json }, store) => {
    const { signal } = shell;
    const reader = supportReader(shell, buildWithin);
    const sources = namedLogs(shell, named);
    const log = sources.length === 0 ? undefined : await recentAnswers(sources, reader.now, signal);
    const report = judgedTenants(await readTenantFacts({ store, only, log, signal }), reader);
    const nothing = report.tenants.every(isUnknown) ? await whereNothingIs(store, shell) : "";
    if (nothing !== "" && only !== undefined) {
      const what = `The store has nothing of tenant ${only}, and no recent run names it. \`snapshot status\` lists the tenants.`;
      throw await unknownTenant(store, only, `${what} ${nothing}`, signal);
    }
    if (json) printJson(shell, statusJson(report, reader.now));
    else if (report.tenants.length === 0)
      shell.stderr.write(`Nothing was published yet. ${printable(nothing)}\n`);
    else if (only === undefined) shell.stdout.write(statusTable(report, layoutOf(shell)));
    else shell.stdout.write(tenantStatus(report, layoutOf(shell)));
  },
);
