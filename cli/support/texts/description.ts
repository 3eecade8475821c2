import { printable } from "../../../core/printable.ts";
import type { Layout } from "../../output/layout.ts";
import { relativeAndExact } from "../../output/times.ts";
import type { Labelled } from "../../output/wrap.ts";

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
export function rowsOf(described: readonly DescribedRow[]) {
  return described.flatMap(([label, ...lines]) => {
    const known = lines.flatMap((line) => (line === null ? [] : [isPieces(line) ? line : [line]]));
    return known.length === 0 ? [] : [{ label, lines: known }];
  });
}

function isPieces(line: Line): line is readonly Piece[] {
  return Array.isArray(line);
}

export function labelledRows(described: readonly DescribedRow[], layout: Layout): readonly Labelled[] {
  return rowsOf(described).map(({ label, lines }) => {
    return [label, ...lines.map((line) => line.map((piece) => pieceText(piece, layout)).join(""))];
  });
}

function pieceText(piece: Piece, layout: Layout): string {
  if (typeof piece === "string") return printable(piece);
  if ("time" in piece) return relativeAndExact(piece.time, layout);
  return "id" in piece ? printable(piece.id) : layout.style[piece.tone](printable(piece.text));
}
