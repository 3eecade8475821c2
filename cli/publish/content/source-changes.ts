import { createHash } from "node:crypto";
import { compareIds } from "../source/compare-ids.ts";
import { type ProgramSum, type StrayRows, StrayTally } from "../source/program-sums.ts";
import type { RememberedPrograms } from "./remembered-programs.ts";

/** Longer ids are cut in the sums, so they cannot be asked for by name. */
export const maxNameLength = 999;
const hashedAtOnce = 64 * 1024;

/**
 * Holds the sums of a tenant's programs, as they come in, against what is remembered of them. What cannot be compared counts
 * as changed, so that without a memory everything has changed.
 */
export class SourceChanges {
  readonly #remembered: RememberedPrograms | undefined;
  /** Of a reading of some programs only; the others count as they were. */
  readonly #only: ReadonlySet<string> | undefined;
  readonly #strays = new StrayTally();
  readonly #hash = createHash("sha256");
  #unhashed = "";
  #line = 0;
  /** Lines of the memory whose programs are as they were. */
  kept: number[] = [];
  /** Programs to be read that have an id, in the order of the "C" collation, and the sums of their rows. */
  ids: string[] = [];
  sums: string[] = [];
  /** Whether all programs to be read can be asked for by their ids. */
  canBeNamed = true;

  constructor(remembered?: RememberedPrograms, only?: ReadonlySet<string>) {
    this.#remembered = remembered;
    this.#only = only;
  }

  add(found: ProgramSum): void {
    const { programId, sum, views } = found;
    this.#unhashed += `${JSON.stringify([programId, sum])}\n`;
    if (this.#unhashed.length > hashedAtOnce) this.#hashSoFar();
    this.#strays.add(found);
    if ((views & 1) === 0) return;
    if (programId === null || programId.length > maxNameLength) this.canBeNamed = false;
    if (programId === null) return;
    const line = this.#lineOf(programId);
    if (line !== undefined && this.#remembered?.sumAt(line) === sum) {
      this.kept.push(line);
      return;
    }
    this.ids.push(programId);
    this.sums.push(sum);
  }

  /** Called once, after the last sum. */
  finish(): { readonly strays: readonly StrayRows[]; readonly sums: string } {
    if (this.#only !== undefined) this.#keepOthers(this.#remembered?.count ?? 0);
    this.#hashSoFar();
    return { strays: this.#strays.rows, sums: this.#hash.digest("hex") };
  }

  /** Counts all programs as changed. */
  forget(): void {
    const remembered = this.#remembered;
    if (remembered === undefined) return;
    const found = this.ids.map((id, at) => [id, this.sums[at] ?? ""] as const);
    const kept = this.kept.map((line) => [remembered.idAt(line), remembered.sumAt(line)] as const);
    const all = [...found, ...kept].sort(([a], [b]) => compareIds(a, b));
    this.kept = [];
    this.ids = all.map(([id]) => id);
    this.sums = all.map(([, sum]) => sum);
  }

  /** The line of the program, and everything before it passed over. */
  #lineOf(programId: string): number | undefined {
    const remembered = this.#remembered;
    if (remembered === undefined) return undefined;
    let line = this.#line;
    while (line < remembered.count && compareIds(remembered.idAt(line), programId) < 0) line += 1;
    if (this.#only !== undefined) this.#keepOthers(line);
    const isKnown = line < remembered.count && remembered.idAt(line) === programId;
    this.#line = isKnown ? line + 1 : line;
    return isKnown ? line : undefined;
  }

  /** In a reading of some programs, keeps those up to this line that were not to be looked at. */
  #keepOthers(end: number): void {
    for (let line = this.#line; line < end; line += 1) {
      const programId = this.#remembered?.idAt(line);
      if (programId !== undefined && this.#only?.has(programId) !== true) this.kept.push(line);
    }
    this.#line = Math.max(this.#line, end);
  }

  #hashSoFar(): void {
    this.#hash.update(this.#unhashed);
    this.#unhashed = "";
  }
}
