import { styledLine } from "./style.ts";
import { displayWidth } from "./wrap.ts";

/** A column of a table. Numbers align to the right. */
interface Column {
  readonly title: string;
  readonly isNumeric: boolean;
}

/** A column of numbers. */
export function numbers(title: string): Column {
  return { title, isNumeric: true };
}

/** Rows as aligned columns, each on one line however narrow the terminal is, so that every cell can be copied whole. */
export function table(titled: readonly (Column | string)[], rows: readonly (readonly string[])[]): string {
  const columns = titled.map((column) =>
    typeof column === "string" ? { title: column, isNumeric: false } : column,
  );
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => row.map(styledLine))];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => displayWidth(line[at] ?? ""))));
  const padded = (cells: readonly string[]): string[] =>
    columns.map(({ isNumeric }, at) => {
      const cell = cells[at] ?? "";
      const space = " ".repeat((widths[at] ?? 0) - displayWidth(cell));
      return isNumeric ? space + cell : cell + space;
    });
  return lines.map((line) => `${padded(line).join("  ").trimEnd()}\n`).join("");
}
