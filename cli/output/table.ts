import { displayWidth } from "./display-width.ts";
import { styledLine, styledWords } from "./style.ts";
import { wrapped } from "./wrap.ts";

/** A column of a table. Numbers align to the right. */
export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
}

/** A column of numbers. */
export function numbers(title: string): Column {
  return { title, align: "right" };
}

type Row = readonly string[];

/**
 * Rows as lines of aligned columns, without trailing space, in at most `width` columns of a terminal (P81). When they don't
 * fit, cells of text take several lines; when that is not enough, each row becomes a block with one cell per line. No word is
 * broken: a word that is longer than the terminal overflows, so that it can be copied. A column of text is named by its title
 * alone.
 */
export function table(titled: readonly (Column | string)[], rows: readonly Row[], width: number): string {
  const columns = titled.map((column) => (typeof column === "string" ? { title: column } : column));
  const cells = rows.map((row) => columns.map((_, at) => styledLine(row[at] ?? "")));
  const natural = columns.map(({ title }, at) => widest([title, ...cells.map((row) => row[at] ?? "")]));
  const widths = narrowed(columns, cells, natural, width - gap.length * (columns.length - 1));
  return widths === undefined ? stacked(columns, cells, width) : aligned(columns, cells, widths);
}

/** Between two columns. */
const gap = "  ";
/** A cell of more lines reads worse than a block does. */
const maxCellLines = 3;

/** Makes columns of text narrower until all fit into `available`. `undefined` when that is impossible. */
function narrowed(
  columns: readonly Column[],
  cells: readonly Row[],
  natural: readonly number[],
  available: number,
): readonly number[] | undefined {
  const least = columns.map(({ title, align }, at) => {
    const own = natural[at] ?? 0;
    // The first column names the row, and numbers are not broken, so these columns keep their width.
    if (at === 0 || align === "right") return own;
    const words = cells.flatMap((row) => styledWords(row[at] ?? ""));
    return Math.max(widest([title, ...words]), Math.ceil(own / maxCellLines));
  });
  const widths = [...natural];
  for (let excess = natural.reduce((sum, own) => sum + own, 0) - available; excess > 0; excess -= 1) {
    const shrinkable = widths.map((own, at) => (own > (least[at] ?? 0) ? own : 0));
    const largest = Math.max(...shrinkable);
    if (largest === 0) return undefined;
    widths[shrinkable.indexOf(largest)] = largest - 1;
  }
  return widths;
}

function aligned(columns: readonly Column[], rows: readonly Row[], widths: readonly number[]): string {
  const lines = [columns.map(({ title }) => title), ...rows].flatMap((row) => {
    const cells = row.map((cell, at) => cellLines(cell, widths[at] ?? 0));
    const height = Math.max(...cells.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) =>
      columns
        .map(({ align }, at) => pad(cells[at]?.[line] ?? "", widths[at] ?? 0, align ?? "left"))
        .join(gap)
        .trimEnd(),
    );
  });
  return lines.map((line) => `${line}\n`).join("");
}

/**
 * The cell in lines of at most `width`, broken between words. A coloured phrase is one word, so no colour crosses lines.
 */
function cellLines(cell: string, width: number): readonly string[] {
  if (displayWidth(cell) <= width) return [cell];
  const lines: string[] = [];
  for (const word of styledWords(cell)) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && displayWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Each row as a block: its first cell, and below it the other cells with their titles. */
function stacked(columns: readonly Column[], rows: readonly Row[], width: number): string {
  const titleWidth = widest(columns.slice(1).map(({ title }) => title));
  const indent = titleWidth + 4;
  const block = ([first = "", ...others]: Row): string[] => [
    ...wrapped(first, width),
    ...others.flatMap((cell, at) => {
      const title = pad(columns[at + 1]?.title ?? "", titleWidth, "left");
      const isLong = widest(styledWords(cell)) > width - indent;
      if (isLong) return [`  ${title}`.trimEnd(), ...wrapped(`    ${cell}`, width, 0)];
      const [start = "", ...rest] = wrapped(cell, width - indent, 0);
      return [`  ${title}  ${start}`.trimEnd(), ...rest.map((line) => " ".repeat(indent) + line)];
    }),
  ];
  return rows
    .flatMap(block)
    .map((line) => `${line}\n`)
    .join("");
}

function pad(text: string, width: number, align: "left" | "right"): string {
  const space = " ".repeat(Math.max(0, width - displayWidth(text)));
  return align === "right" ? space + text : text + space;
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, displayWidth(text)), 0);
}
