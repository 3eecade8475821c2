import { printable } from "../../core/printable.ts";
import { type Fact, facts } from "../output/facts.ts";
import type { Layout } from "../output/layout.ts";
import { relativeAndExact, relativeTime, shortAge } from "../output/relative-time.ts";
import type { Style } from "../output/style.ts";
import { table } from "../output/table.ts";
import type { LastTry } from "./read-confirmed.ts";
import type { LastRun } from "./run-history.ts";
import type { StatusReport, TenantStatus } from "./tenant-status.ts";

/** One line per tenant, and below what needs somebody's attention. */
export function statusTable({ tenants, faults }: StatusReport, layout: Layout): string {
  const { now, style } = layout;
  const rows = tenants.map(({ tenantId, live, fault, hold, removedAt, lastTry }) => [
    tenantId,
    removedAt === null
      ? (live?.snapshotId ?? style.bad(fault === null ? "none" : "damaged"))
      : style.doubtful("removed"),
    live === null ? "-" : shortAge(new Date(live.publishedAt), now),
    live?.confirmedAt ? shortAge(new Date(live.confirmedAt), now) : "-",
    live === null ? "-" : programsText(live.programs, style),
    hold === null ? "-" : style.doubtful("held"),
    lastTry === null ? "-" : `${outcome(lastTry, style)} ${relativeTime(new Date(lastTry.triedAt), now)}`,
  ]);
  const notes = [
    ...tenants.flatMap(({ tenantId, concerns }) =>
      concerns.map(({ text }): Fact => [tenantId, printable(text)]),
    ),
    ...faults.map((text): Fact => ["runs", printable(text)]),
  ];
  return [
    table(
      [
        { title: "TENANT" },
        { title: "LIVE SNAPSHOT" },
        { title: "PUBLISHED", align: "right" },
        { title: "CONFIRMED", align: "right" },
        { title: "PROGRAMS", align: "right" },
        { title: "HOLD" },
        { title: "LAST TRY" },
      ],
      rows,
      layout.columns,
    ),
    notes.length === 0 ? "" : `\n${facts(notes, layout.width)}`,
  ].join("");
}

/** Everything about one tenant. */
export function statusFacts(tenant: TenantStatus, layout: Layout): string {
  const { live, hold, removedAt, lastRun, lastTry } = tenant;
  const { now, style } = layout;
  const removed: readonly Fact[] =
    removedAt === null ? [] : [["removed", `${relativeAndExact(removedAt, now)}: partners get 401`]];
  const rows: Fact[] =
    live === null
      ? [
          ["live", style.bad(nothingLive(tenant))],
          ...(hold === null ? [] : [["hold", holdText(hold, layout)] satisfies Fact]),
        ]
      : [
          ["live", `${live.snapshotId}, generation ${live.generation}`],
          ["data of", relativeAndExact(live.generatedAt, now)],
          ["published", relativeAndExact(live.publishedAt, now)],
          ["confirmed", confirmedText(live.confirmedAt, layout)],
          ["programs", programsText(live.programs, style)],
          ["hold", holdText(hold, layout)],
        ];
  const last: Fact =
    tenant.notInSource === null
      ? lastRunFact(lastRun, layout)
      : [
          "last run",
          `${style.doubtful("not in the source")} at ${relativeAndExact(tenant.notInSource, now)}${live === null ? "" : ": it keeps its last snapshot"}`,
        ];
  const isSaid = lastTry === null || lastTry.triedAt === lastRun?.finishedAt;
  const tried: readonly Fact[] = isSaid
    ? []
    : [["last try", `${outcome(lastTry, style)} ${relativeAndExact(lastTry.triedAt, now)}`]];
  const concerns = tenant.concerns.map(({ text, severity }, at): Fact => {
    const tone = severity === "bad" ? style.bad : style.doubtful;
    return [at === 0 ? "attention" : "", tone(printable(text))];
  });
  return `${style.bold(tenant.tenantId)}\n${facts([...removed, ...rows, last, ...tried, ...concerns], layout.width)}`;
}

function nothingLive({ fault, removedAt }: TenantStatus): string {
  if (removedAt !== null) return "nothing";
  return fault === null ? "nothing was ever published: partners get 500" : "damaged: partners get 500";
}

function programsText(programs: number, style: Style): string {
  return programs === 0 ? style.bad("0") : programs.toLocaleString("en");
}

/** When a live snapshot was last found to be what the source says. */
export function confirmedText(confirmedAt: string | null, { now, style }: Layout): string {
  return confirmedAt === null ? style.doubtful("not known") : relativeAndExact(confirmedAt, now);
}

export function holdText(
  hold: { readonly reason: string; readonly since: string } | null,
  { now, style }: Layout,
): string {
  if (hold === null) return "none";
  return `${style.doubtful("held")} since ${relativeAndExact(hold.since, now)}: ${printable(hold.reason)}`;
}

export function lastRunFact(lastRun: LastRun | null, { now, style }: Layout): Fact {
  if (lastRun === null) return ["last run", "none that is known of this tenant"];
  const { finishedAt, failure } = lastRun;
  const text = `${outcome(lastRun, style)} ${relativeAndExact(finishedAt, now)}, run ${lastRun.runId}`;
  return ["last run", text, ...(failure === null ? [] : [printable(failure.message)])];
}

function outcome({ outcome: text }: Pick<LastTry, "outcome">, style: Style): string {
  const word = printable(text);
  if (word === "failed" || word === "refused") return style.bad(word);
  return ["held", "skipped", "interrupted"].includes(word) ? style.doubtful(word) : style.good(word);
}
