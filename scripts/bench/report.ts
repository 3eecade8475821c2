import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

/** A line of a table: what was measured (`case`), and its figures by their titles. */
export type Row = Readonly<Record<string, string | number>>;

/** The options of the command line (`--rounds 5`), all of which take a value, with these defaults. */
export function benchOptions<Name extends string>(
  defaults: Readonly<Record<Name, string>>,
): Readonly<Record<Name, string>> {
  const options: Record<string, { readonly type: "string" }> = {};
  for (const name of Object.keys(defaults)) options[name] = { type: "string" };
  return { ...defaults, ...parseArgs({ options }).values };
}

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
