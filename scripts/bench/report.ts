import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { join } from "node:path";

/** A line of a table: what was measured (`case`), and its figures by their titles. */
export type Row = Readonly<Record<string, string | number>>;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

/** Prints rows as a table and keeps them, with the machine, as `data/bench/<name>.json`. */
export function reportBench(name: string, rows: readonly Row[]): void {
  const machine = {
    node: process.version,
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
  };
  console.table(Object.fromEntries(rows.map(({ case: title, ...rest }) => [title, rest])));
  const folder = join("data", "bench");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.json`);
  writeFileSync(path, `${JSON.stringify({ at: new Date().toISOString(), machine, rows }, null, 2)}\n`);
  console.log(`Kept as ${path}.`);
}
