import { numberText } from "../../output/counted.ts";
import type { LastRun } from "../facts/last-build.ts";
import type { JudgedTenant } from "../judgement/tenant.ts";
import type { DescribedRow, Line, Piece } from "./description.ts";

/** The facts of one tenant, for `snapshot status` and for its page. */
export function describedTenant(tenant: JudgedTenant): readonly DescribedRow[] {
  const { live, fault, hold, removal, isSandbox } = tenant;
  const unpublished = fault === null ? "nothing was ever published" : "damaged";
  const nothing = removal === null ? `${unpublished}: partners get 500` : "nothing";
  const gone = removal?.openKeys === 0 ? ": partners get 401" : ": not to its end";
  return [
    ["sandbox", isSandbox ? "`sandbox init` publishes it, and no build changes it" : null],
    ["removed", removal && [{ time: removal.removedAt }, gone]],
    live === null
      ? ["live", { tone: "bad", text: nothing }]
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
  const withdrawn = [{ time: generatedAt }, ": only withdrawn programs were taken out then"];
  return [
    ["data of", { time: contentAt }],
    ["withdrawals", contentAt === generatedAt ? null : withdrawn],
    ["published", { time: publishedAt }],
    ["confirmed", confirmedAt === null ? { tone: "doubtful", text: "not known" } : { time: confirmedAt }],
  ];
}

export function holdLine(hold: JudgedTenant["hold"]): Line {
  if (hold === null) return "none";
  return [{ tone: "doubtful", text: "held" }, " since ", { time: hold.since }, `: ${hold.reason}`];
}

/** The last run with its reason, and the last try if it is another one. */
export function describedBuilds(tenant: JudgedTenant): readonly DescribedRow[] {
  const { lastRun, lastTry, notInSource, live } = tenant;
  const tried: DescribedRow = [
    "last try",
    lastTry === null ? null : [outcomePiece(lastTry.outcome), " ", { time: lastTry.triedAt }],
  ];
  if (notInSource !== null) {
    const keeps = live === null ? "" : ": it keeps its last snapshot";
    const unlisted: Line = [
      { tone: "doubtful", text: "not in the source" },
      " at ",
      { time: notInSource },
      keeps,
    ];
    return [["last run", unlisted], tried];
  }
  if (lastRun === null) {
    return lastTry === null ? [["last run", "none that is known of this tenant"]] : [tried];
  }
  const { outcome, finishedAt, runId, failure } = lastRun;
  const ended: Line = [outcomePiece(outcome), " ", { time: finishedAt }, `, run ${runId}`];
  const run: DescribedRow = ["last run", ended, failure?.message ?? null];
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

/** A tenant's last run as every `--json` shows it. */
export function lastRunJson({ runId, finishedAt, outcome, failure, problemCounts }: LastRun): object {
  return { runId, startedAt: null, finishedAt, outcome, failure, counts: null, problemCounts };
}
