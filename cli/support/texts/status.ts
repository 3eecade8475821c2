import { printable } from "../../../core/ground/printable.ts";
import { type Labelled, type Layout, labelledLines, numbers, table } from "../../output/layout.ts";
import { numberText, relativeTime, shortAge } from "../../output/words.ts";
import { type Concern, namedTenants, sharedConcerns, tally, tallyWords } from "../judgement/concern.ts";
import { usableKeys } from "../judgement/partner-concerns.ts";
import { goneSince } from "../judgement/standings.ts";
import { printedStep } from "../judgement/steps.ts";
import type { JudgedTenant, JudgedTenants } from "../judgement/tenant.ts";
import { describedTenant, labelledRows, lastRunJson, outcomeTone } from "./description.ts";

/** What `tenant list` adds to the state of all tenants: what the source says of them. */
export interface TenantList {
  /** By the id as the source writes it; `null` when the source could not be asked. */
  readonly names: ReadonlyMap<string, string | null> | null;
  /** Why each side could not be asked; `null` when it was. */
  readonly away: Readonly<Record<"source" | "store" | "tokens", string | null>>;
}

/** A line per tenant, and each cause of concern once. `list`: also the source, for `tenant list`. */
export function statusTable(report: JudgedTenants, layout: Layout, list?: TenantList): string {
  const { tenants, concerns, faults } = report;
  const note = (label: string, text: string): Labelled => [printable(label), printable(text)];
  const notes = [
    ...concerns.map(({ text }) => note("gateways", text)),
    ...sharedConcerns(tenants).map((shared) => note(namedTenants(shared.tenantIds), shared.concern.text)),
    ...faults.map((text) => note("unread", text)),
  ];
  const columns = ["PUBLISHED", "CONFIRMED", "PROGRAMS", "KEYS"].map(numbers);
  const rows = tenants.map((tenant) => {
    const { tenantId } = tenant;
    const source = list?.names === null ? "?" : list?.names.has(tenantId) ? "yes" : "no";
    return [printable(tenantId), ...(list === undefined ? [] : [source]), ...cells(tenant, layout)];
  });
  const titles = ["TENANT", ...(list === undefined ? [] : ["IN SOURCE"]), "LIVE SNAPSHOT", ...columns];
  const isWell = tally(tenants).well === tenants.length;
  return [
    table([...titles, "HOLD", "LAST TRY"], rows),
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
  const outcome = lastTry && style[outcomeTone(lastTry.outcome)](printable(lastTry.outcome));
  const tried = lastTry && `${outcome} ${relativeTime(new Date(lastTry.triedAt), now)}`;
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

export function tenantStatus(report: JudgedTenants, layout: Layout): string {
  const texts = report.tenants.map((tenant) => {
    const attention = [...tenant.concerns, ...report.concerns].map(({ severity, text }, at): Labelled => {
      return [at === 0 ? "attention" : "", layout.style[severity](printable(text))];
    });
    const rows = [...labelledRows(describedTenant(tenant), layout), ...attention];
    return `${layout.style.bold(tenant.tenantId)}\n${labelledLines(rows, layout.width)}${logNote(report)}`;
  });
  return texts.join("\n");
}

/** Tells how far the log was read. Without a log nothing is known about what partners got. */
function logNote({ gateways }: JudgedTenants): string {
  if (gateways === null) return "";
  const { covers, faults } = gateways.state;
  const isEmpty = covers === null;
  const span = isEmpty ? "The log has no request of the last hour." : `The log was read up to ${covers.to}.`;
  return `\n${[span, ...faults.map(printable)].join(" ")}\n`;
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
  const { tenantId, live, fault, hold, isSandbox, lastRun, lastTry, notInSource } = tenant;
  const ageSeconds = (at: string | null): number | null =>
    at === null || isSandbox ? null : Math.max(0, Math.floor((now.getTime() - Date.parse(at)) / 1000));
  return {
    tenantId,
    live: live && {
      ...live,
      hold,
      ageSeconds: ageSeconds(live.contentAt),
      confirmedAgeSeconds: ageSeconds(live.confirmedAt),
    },
    lastRun: lastRun && lastRunJson(lastRun),
    lastTry,
    notInSource,
    removedAt: goneSince(tenant),
    renamedTo: null,
    isSandbox,
    hold: hold && { ...hold, by: null },
    fault,
    concerns: tenant.concerns.map(concernJson),
  };
}

/** The object that `tenant list --json` prints; documented in docs/json.md. */
export function tenantListJson({ tenants }: JudgedTenants, { names, away }: TenantList, now: Date): object {
  const shown = tenants.map((tenant) => {
    const { tenantId, live, fault, isSandbox } = tenant;
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
      concerns: tenant.concerns.map(concernJson),
    };
  });
  return { tenants: shown, unavailable: away };
}

function concernJson({ tenantId: _, ...concern }: Concern): object {
  return { ...concern, steps: concern.steps.map((step) => printedStep(step)) };
}
