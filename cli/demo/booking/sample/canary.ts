import { canaryMark, type PrivateTextColumn, privateCents } from "../private-columns.ts";

/** A text for a private column that is found nowhere else; `row` tells its rows apart. */
export function canary(column: PrivateTextColumn, row: string): string {
  return `${canaryMark}${column}-${row}`;
}

/** The same for a column that is mostly empty in practice: of rows numbered from 0 every fifth has a text. */
export function occasionalCanary(column: PrivateTextColumn, row: string, at: number): string | null {
  return at % 5 === 0 ? canary(column, row) : null;
}

/** A private amount of money near `amount`. */
export function privateAmount(amount: number): string {
  return (Math.floor(amount) + privateCents).toFixed(2);
}
