import { printable } from "../../../core/printable.ts";
import { numberText } from "../../output/counted.ts";
import { type Fact, facts } from "../../output/facts.ts";
import type { Layout } from "../../output/layout.ts";
import { numbers, table } from "../../output/table.ts";
import { relativeTime, shortAge } from "../../output/times.ts";
import type { LastRun } from "../facts/runs.ts";
import { type Concern, tally, tallyWords } from "../judgement/concern.ts";
import type { JudgedTenant, JudgedTenants } from "../judgement/tenant.ts";
import { factsOf } from "./description.ts";
import { outcomeTone, tenantFacts } from "./tenant-facts.ts";

/** One line per tenant, and the concerns below. */
export function statusTable(report: JudgedTenants, layout: Layout): string {
  const { tenants, concerns, faults } = report;
  const { now, style } = layout;
  const rows = tenants.map(({ tenantId, live, fault, hold, removal, rename, lastTry }) => [
    tenantId,
    removal === null && rename === null
      ? (live?.snapshotId ?? style.bad(fault === null ? "none" : "damaged"))
      : style.doubtful(rename === null ? "removed" : "renamed"),
    live === null ? "-" : shortAge(new Date(live.publishedAt), now),
    live?.confirmedAt ? shortAge(new Date(live.confirmedAt), now) : "-",
    live === null ? "-" : live.programs === 0 ? style.bad("0") : numberText(live.programs),
    hold === null ? "-" : style.doubtful("held"),
    lastTry === null
      ? "-"
      : `${style[outcomeTone(lastTry.outcome)](printable(lastTry.outcome))} ${relativeTime(new Date(lastTry.triedAt), now)}`,
  ]);
  const notes = [
    ...concerns.map(({ text }): Fact => ["gateways", printable(text)]),
    ...tenants.flatMap(({ tenantId, concerns: own }) =>
      own.map(({ text }): Fact => [tenantId, printable(text)]),
    ),
    ...faults.map((text): Fact => ["unread", printable(text)]),
  ];
  const isWell = tally(tenants).well === tenants.length;
  return [
    table(
      ["TENANT", "LIVE SNAPSHOT", ...["PUBLISHED", "CONFIRMED", "PROGRAMS"].map(numbers), "HOLD", "LAST TRY"],
      rows,
      layout.columns,
    ),
    notes.length === 0 ? "" : `\n${facts(notes, layout.width)}`,
    isWell ? "" : `\n${tallyWords(tenants)}\n`,
    logNote(report),
  ].join("");
}

export function statusFacts(report: JudgedTenants, layout: Layout): string {
  return report.tenants
    .map((tenant) => {
      const attention = [...tenant.concerns, ...report.concerns].map((concern, at): Fact => {
        return [at === 0 ? "attention" : "", layout.style[concern.severity](printable(concern.text))];
      });
      const rows = [...factsOf(tenantFacts(tenant), layout), ...attention];
      return `${layout.style.bold(tenant.tenantId)}\n${facts(rows, layout.width)}${logNote(report)}`;
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

/** A tenant's last run as every `--json` shows it. */
export function lastRunJson({ runId, startedAt, finishedAt, outcome, failure, tenantRun }: LastRun): object {
  const counts = tenantRun?.counts ?? null;
  const problemCounts = tenantRun?.problemCounts ?? {};
  return { runId, startedAt, finishedAt, outcome, failure, counts, problemCounts };
}

function tenantJson(tenant: JudgedTenant, now: Date): object {
  const { tenantId, live, fault, hold, removal, rename, lastRun, lastTry, notInSource, concerns } = tenant;
  const ageSeconds = (instant: string): number =>
    Math.max(0, Math.floor((now.getTime() - Date.parse(instant)) / 1000));
  return {
    tenantId,
    live: live && {
      ...live,
      hold: hold && { reason: hold.reason, since: hold.since },
      ageSeconds: ageSeconds(live.contentAt),
      confirmedAgeSeconds: live.confirmedAt === null ? null : ageSeconds(live.confirmedAt),
    },
    lastRun: lastRun && lastRunJson(lastRun),
    lastTry,
    notInSource,
    removedAt: removal !== null && removal.openKeys === 0 ? removal.removedAt : null,
    renamedTo: rename,
    hold,
    fault,
    concerns: concerns.map(concernJson),
  };
}

function concernJson({ tenantId: _, ...concern }: Concern): object {
  return concern;
}
