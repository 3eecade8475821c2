import { printable } from "../../core/printable.ts";
import type { LastTry } from "../support/read-confirmed.ts";
import { type LastRun, leftOut } from "../support/run-history.ts";
import type { StatusReport, TenantStatus } from "../support/tenant-status.ts";
import { type Fact, facts } from "./facts.ts";
import type { Layout } from "./layout.ts";
import { exactTime, relativeAndExact, relativeTime, shortAge } from "./relative-time.ts";
import type { Style } from "./style.ts";
import { table } from "./table.ts";

/** One line per tenant, and below what needs somebody's attention. */
export function statusTable({ tenants, faults }: StatusReport, layout: Layout): string {
  const { now, style } = layout;
  const rows = tenants.map(({ tenantId, live, fault, lastTry }) => [
    tenantId,
    live?.snapshotId ?? style.bad(fault === null ? "none" : "damaged"),
    live === null ? "-" : shortAge(new Date(live.publishedAt), now),
    live?.confirmedAt ? shortAge(new Date(live.confirmedAt), now) : "-",
    live === null ? "-" : programsText(live.programs, style),
    live?.hold ? style.doubtful("held") : "-",
    lastTry === null ? "-" : `${outcome(lastTry, style)} ${relativeTime(new Date(lastTry.triedAt), now)}`,
  ]);
  const notes = [
    ...tenants.flatMap((tenant) => attention(tenant).map((text): Fact => [tenant.tenantId, text])),
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
    ),
    notes.length === 0 ? "" : `\n${facts(notes, layout.width)}`,
  ].join("");
}

/** Everything about one tenant. */
export function statusFacts(tenant: TenantStatus, layout: Layout): string {
  const { live, lastRun, lastTry } = tenant;
  const { now, style } = layout;
  const rows: Fact[] =
    live === null
      ? [
          [
            "live",
            tenant.fault === null
              ? style.bad("nothing was ever published: partners get 500")
              : printable(tenant.fault),
          ],
        ]
      : [
          ["live", `${live.snapshotId}, generation ${live.generation}`],
          ["data of", relativeAndExact(live.generatedAt, now)],
          ["published", relativeAndExact(live.publishedAt, now)],
          ["confirmed", confirmedText(live.confirmedAt, layout)],
          ["programs", programsText(live.programs, style), ...emptyText(live.programs)],
          ["hold", holdText(live.hold, layout)],
        ];
  const last: Fact =
    tenant.notInSource === null
      ? lastRunFact(lastRun, layout)
      : [
          "last run",
          `${style.doubtful("not in the source")} at ${relativeAndExact(tenant.notInSource, now)}: it keeps its last snapshot`,
        ];
  const isSaid = lastTry === null || lastTry.triedAt === lastRun?.finishedAt;
  const tried: readonly Fact[] = isSaid
    ? []
    : [["last try", `${outcome(lastTry, style)} ${relativeAndExact(lastTry.triedAt, now)}`]];
  return `${style.bold(tenant.tenantId)}\n${facts([...rows, last, ...tried], layout.width)}`;
}

function programsText(programs: number, style: Style): string {
  return programs === 0 ? style.bad("0") : programs.toLocaleString("en");
}

/** P22 */
function emptyText(programs: number): string[] {
  return programs === 0 ? ["the live snapshot has no program: partners get an empty list"] : [];
}

/** P19: of the last run. */
function leftOutText(lastRun: LastRun | null): string[] {
  const count = leftOut(lastRun);
  if (count === 0) return [];
  return [`last run left out ${count === 1 ? "1 program" : `${count} programs`} with an error`];
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
  if (lastRun === null) return ["last run", "no report of a run is stored"];
  const { finishedAt, failure } = lastRun;
  const text = `${outcome(lastRun, style)} ${relativeAndExact(finishedAt, now)}, run ${lastRun.runId}`;
  return [
    "last run",
    text,
    ...leftOutText(lastRun),
    ...(failure === null ? [] : [printable(failure.message)]),
  ];
}

function outcome({ outcome: text }: Pick<LastTry, "outcome">, style: Style): string {
  const word = printable(text);
  if (word === "failed" || word === "refused") return style.bad(word);
  return word === "held" || word === "skipped" ? style.doubtful(word) : style.good(word);
}

function attention({ live, fault, lastRun, notInSource }: TenantStatus): string[] {
  const texts: string[] = [];
  if (notInSource !== null) {
    const at = exactTime(notInSource);
    texts.push(`the source did not list this tenant at ${at}; it keeps its last snapshot`);
  }
  if (fault !== null) texts.push(printable(fault));
  if (live !== null) texts.push(...emptyText(live.programs));
  texts.push(...leftOutText(lastRun));
  if (live?.hold) texts.push(`held since ${exactTime(live.hold.since)}: ${printable(live.hold.reason)}`);
  // A hold is the whole reason of an outcome `held`.
  if (lastRun?.failure && lastRun.outcome !== "held") {
    texts.push(`last run ${lastRun.outcome}: ${printable(lastRun.failure.message)}`);
  }
  return texts;
}
