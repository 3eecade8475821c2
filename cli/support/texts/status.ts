import { printable } from "../../../core/printable.ts";
import { numberText } from "../../output/counted.ts";
import type { Layout } from "../../output/layout.ts";
import { numbers, table } from "../../output/table.ts";
import { relativeTime, shortAge } from "../../output/times.ts";
import { type Labelled, labelledLines } from "../../output/wrap.ts";
import { type Concern, namedTenants, sharedConcerns, tally, tallyWords } from "../judgement/concern.ts";
import { goneSince, type JudgedTenant, type JudgedTenants, usableKeys } from "../judgement/tenant.ts";
import type { TenantList } from "../tenant-list.ts";
import { describedTenant, lastRunJson, outcomeTone } from "./described-tenant.ts";
import { labelledRows } from "./description.ts";

/** One line per tenant, and the concerns below, each cause once. `list`: what the source says, too, for `tenant list`. */
export function statusTable(report: JudgedTenants, layout: Layout, list?: TenantList): string {
  const { tenants, concerns, faults } = report;
  const columns = ["LIVE SNAPSHOT", ...["PUBLISHED", "CONFIRMED", "PROGRAMS", "KEYS"].map(numbers), "HOLD"];
  const sourceColumns = list === undefined ? [] : ["IN SOURCE"];
  const rows = tenants.map((tenant) => [
    printable(tenant.tenantId),
    ...(list === undefined ? [] : [inSource(list, tenant.tenantId)]),
    ...cells(tenant, layout),
  ]);
  const notes = [
    ...concerns.map(({ text }): Labelled => ["gateways", printable(text)]),
    ...sharedConcerns(tenants).map(
      ({ concern, tenantIds }): Labelled => [printable(namedTenants(tenantIds)), printable(concern.text)],
    ),
    ...faults.map((text): Labelled => ["unread", printable(text)]),
  ];
  const isWell = tally(tenants).well === tenants.length;
  return [
    table(["TENANT", ...sourceColumns, ...columns, "LAST TRY"], rows),
    notes.length === 0 ? "" : `\n${labelledLines(notes, layout.width)}`,
    isWell ? "" : `\n${tallyWords(tenants)}\n`,
    logNote(report),
  ].join("");
}

function cells(tenant: JudgedTenant, { now, style }: Layout): readonly string[] {
  const { live, fault, hold, removal, lastTry, isSandbox } = tenant;
  const age = (at: string | null | undefined): string =>
    at == null || isSandbox ? "-" : shortAge(new Date(at), now);
  const snapshot = live?.snapshotId ?? style.bad(fault === null ? "none" : "damaged");
  const keys = usableKeys(tenant, now);
  const tried =
    lastTry &&
    `${style[outcomeTone(lastTry.outcome)](printable(lastTry.outcome))} ${relativeTime(new Date(lastTry.triedAt), now)}`;
  return [
    removal === null ? snapshot : style.doubtful("removed"),
    age(live?.publishedAt),
    age(live?.confirmedAt),
    live === null ? "-" : live.programs === 0 ? style.doubtful("0") : numberText(live.programs),
    keys === null ? "?" : numberText(keys),
    hold === null ? "-" : style.doubtful("held"),
    isSandbox ? "sandbox" : (tried ?? "-"),
  ];
}

function inSource({ names }: TenantList, tenantId: string): string {
  return names === null ? "?" : names.has(tenantId) ? "yes" : "no";
}

export function tenantStatus(report: JudgedTenants, layout: Layout): string {
  return report.tenants
    .map((tenant) => {
      const attention = [...tenant.concerns, ...report.concerns].map((concern, at): Labelled => {
        return [at === 0 ? "attention" : "", layout.style[concern.severity](printable(concern.text))];
      });
      const rows = [...labelledRows(describedTenant(tenant), layout), ...attention];
      return `${layout.style.bold(tenant.tenantId)}\n${labelledLines(rows, layout.width)}${logNote(report)}`;
    })
    .join("\n");
}

/** Tells how far the log was read. Without a log nothing is known about what partners got. */
function logNote({ gateways }: JudgedTenants): string {
  if (gateways === null) return "";
  const { covers, faults } = gateways.state;
  const span =
    covers === null ? "The log has no request of the last hour." : `The log was read up to ${covers.to}.`;
  return ["\n", span, ...faults.map((fault) => ` ${printable(fault)}`), "\n"].join("");
}

/** The object that `snapshot status --json` prints; documented in docs/json.md. */
export function statusJson({ tenants, concerns, gateways, faults }: JudgedTenants, now: Date): object {
  return {
    at: now.toISOString(),
    tenants: tenants.map((tenant) => tenantJson(tenant, now)),
    concerns,
    counts: tally(tenants),
    log: gateways === null ? null : gateways.state.covers,
    faults,
  };
}

function tenantJson(tenant: JudgedTenant, now: Date): object {
  const { tenantId, live, fault, hold, isSandbox, lastRun, lastTry, notInSource, concerns } = tenant;
  const ageSeconds = (instant: string | null): number | null =>
    instant === null || isSandbox
      ? null
      : Math.max(0, Math.floor((now.getTime() - Date.parse(instant)) / 1000));
  return {
    tenantId,
    live: live && {
      ...live,
      hold: hold && { reason: hold.reason, since: hold.since },
      ageSeconds: ageSeconds(live.contentAt),
      confirmedAgeSeconds: ageSeconds(live.confirmedAt),
    },
    lastRun: lastRun && lastRunJson(lastRun),
    lastTry,
    notInSource,
    removedAt: goneSince(tenant),
    renamedTo: null,
    isSandbox,
    hold,
    fault,
    concerns: concerns.map(concernJson),
  };
}

/** The object that `tenant list --json` prints; documented in docs/json.md. */
export function tenantListJson({ tenants }: JudgedTenants, { names, away }: TenantList, now: Date): object {
  return {
    tenants: tenants.map((tenant) => {
      const { tenantId, live, fault, isSandbox, concerns } = tenant;
      const { snapshotId, generation, publishedAt, programs } = live ?? {};
      return {
        tenantId,
        name: names?.get(tenantId) ?? null,
        isInSource: names?.has(tenantId) ?? null,
        live: live && { snapshotId, generation, publishedAt, programs },
        fault,
        activeTokens: usableKeys(tenant, now),
        removedAt: goneSince(tenant),
        isSandbox,
        concerns: concerns.map(concernJson),
      };
    }),
    unavailable: away,
  };
}

function concernJson({ tenantId: _, ...concern }: Concern): object {
  return concern;
}
