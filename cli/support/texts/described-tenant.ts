import { numberText } from "../../output/counted.ts";
import type { LastRun } from "../facts/last-build.ts";
import type { Hold } from "../facts/tenants.ts";
import type { JudgedTenant } from "../judgement/tenant.ts";
import type { DescribedRow, Line, Piece } from "./description.ts";

/** The facts of one tenant, for `snapshot status` and for its page. */
export function describedTenant(tenant: JudgedTenant): readonly DescribedRow[] {
  const { live, hold, removal, isSandbox } = tenant;
  return [
    ["sandbox", isSandbox ? "`sandbox init` publishes it, and no build changes it" : null],
    [
      "removed",
      removal && [
        { time: removal.removedAt },
        removal.openKeys === 0 ? ": partners get 401" : ": not to its end",
      ],
    ],
    live === null
      ? ["live", { tone: "bad", text: nothingLive(tenant, removal !== null) }]
      : ["live", [{ id: live.snapshotId }, `, generation ${live.generation}`]],
    ...(live === null || isSandbox ? [] : describedAge(live)),
    ["programs", live && (live.programs === 0 ? { tone: "bad", text: "0" } : numberText(live.programs))],
    ["hold", live === null && hold === null ? null : holdLine(hold)],
    ...(isSandbox ? [] : describedBuilds(tenant)),
  ];
}

/** The age of the data that partners see, and whether a later withdrawal changed it. */
export function describedAge(live: NonNullable<JudgedTenant["live"]>): readonly DescribedRow[] {
  const { generatedAt, contentAt, publishedAt, confirmedAt } = live;
  return [
    ["data of", { time: contentAt }],
    [
      "withdrawals",
      contentAt === generatedAt
        ? null
        : [{ time: generatedAt }, ": only withdrawn programs were taken out then"],
    ],
    ["published", { time: publishedAt }],
    ["confirmed", confirmedAt === null ? { tone: "doubtful", text: "not known" } : { time: confirmedAt }],
  ];
}

export function holdLine(hold: Hold | null): Line {
  if (hold === null) return "none";
  const { since, by, reason } = hold;
  return [
    { tone: "doubtful", text: "held" },
    " since ",
    { time: since },
    by === null ? "" : ` by ${by}`,
    `: ${reason}`,
  ];
}

/** The last run with its reason, and the last try if it is another one. */
export function describedBuilds({
  lastRun,
  lastTry,
  notInSource,
  live,
}: JudgedTenant): readonly DescribedRow[] {
  const tried: DescribedRow = [
    "last try",
    lastTry === null ? null : [outcomePiece(lastTry.outcome), " ", { time: lastTry.triedAt }],
  ];
  if (notInSource !== null) {
    const keeps = live === null ? "" : ": it keeps its last snapshot";
    return [
      ["last run", [{ tone: "doubtful", text: "not in the source" }, " at ", { time: notInSource }, keeps]],
      tried,
    ];
  }
  if (lastRun === null) {
    return lastTry === null ? [["last run", "none that is known of this tenant"]] : [tried];
  }
  const { outcome, finishedAt, runId, failure } = lastRun;
  const run: DescribedRow = [
    "last run",
    [outcomePiece(outcome), " ", { time: finishedAt }, `, run ${runId}`],
    failure === null ? null : failure.message,
  ];
  return lastTry?.triedAt === finishedAt ? [run] : [run, tried];
}

/** The tone in which the outcome of a build is shown. */
export function outcomeTone(outcome: string): "good" | "doubtful" | "bad" {
  if (outcome === "failed" || outcome === "refused") return "bad";
  return ["held", "skipped", "interrupted"].includes(outcome) ? "doubtful" : "good";
}

function outcomePiece(outcome: string): Piece {
  return { tone: outcomeTone(outcome), text: outcome };
}

function nothingLive({ fault, live }: Pick<JudgedTenant, "fault" | "live">, isGone: boolean): string {
  if (isGone || live !== null) return "nothing";
  return fault === null ? "nothing was ever published: partners get 500" : "damaged: partners get 500";
}

/** A tenant's last run as every `--json` shows it. */
export function lastRunJson({ runId, finishedAt, outcome, failure, problemCounts }: LastRun): object {
  return { runId, startedAt: null, finishedAt, outcome, failure, counts: null, problemCounts };
}
