import { printable } from "../../../core/ground/printable.ts";
import type { Labelled, Layout } from "../../output/layout.ts";
import { numberText, relativeAndExact } from "../../output/words.ts";
import type { LastRun } from "../facts/last-builds.ts";
import type { TenantFacts } from "../facts/tenants.ts";
import type { JudgedTenant } from "../judgement/tenant.ts";

/** A piece of a line that commands print and pages show. Text of foreign origin stands in it as it is. */
export type Piece =
  | string
  | { readonly time: string }
  | { readonly tone: "good" | "doubtful" | "bad"; readonly text: string }
  /** An id, with the page about it. */
  | { readonly id: string; readonly page?: string };

export type Line = readonly Piece[] | Piece;

/** A label and its lines. Lines that are `null` are left out, and labels without lines, too. */
export type DescribedRow = readonly [label: string, ...lines: readonly (Line | null)[]];

/** The rows with lines, each line as its pieces. */
export function rowsOfDescription(described: readonly DescribedRow[]) {
  return described.flatMap(([label, ...lines]) => {
    const known = lines.filter((line) => line !== null).map((line) => [line].flat());
    return known.length === 0 ? [] : [{ label, lines: known }];
  });
}

export function labelledRows(described: readonly DescribedRow[], layout: Layout): readonly Labelled[] {
  return rowsOfDescription(described).map(({ label, lines }) => {
    return [label, ...lines.map((line) => line.map((piece) => pieceText(piece, layout)).join(""))];
  });
}

function pieceText(piece: Piece, layout: Layout): string {
  if (typeof piece === "string") return printable(piece);
  if ("time" in piece) return relativeAndExact(piece.time, layout);
  return "id" in piece ? printable(piece.id) : layout.style[piece.tone](printable(piece.text));
}

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
export function describedBuilds(tenant: TenantFacts): readonly DescribedRow[] {
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
