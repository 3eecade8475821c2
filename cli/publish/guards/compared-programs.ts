/** Programs of one tenant that are held against those of others, by id. */
export type ComparedPrograms = ReadonlyMap<string, ComparedProgram>;

export interface ComparedProgram {
  readonly name: string;
  /** The digest of its detail, which contains the id. */
  readonly sha256: string;
}

/** Fewer equal programs of two tenants may be chance, such as samples. */
export const minShared = 5;

/** P144: whether so many of the programs are enough, and most of them. */
export function isMost(count: number, programs: ComparedPrograms): boolean {
  return count >= minShared && count * 2 > programs.size;
}

/** With so many, a share of three fifths is told from a half with 4 standard deviations. */
const maxCompared = 400;

/**
 * P144: the programs that a build adds, or of many an even sample: those with the smallest digests, which have nothing to do with
 * the order of their ids or with whose they are.
 */
export class AddedPrograms {
  #programs: [id: string, program: ComparedProgram][] = [];

  add(id: string, program: ComparedProgram): void {
    this.#programs.push([id, program]);
    if (this.#programs.length >= 2 * maxCompared) this.#programs = this.#sample();
  }

  compared(): ComparedPrograms {
    return new Map(this.#sample());
  }

  #sample(): [id: string, program: ComparedProgram][] {
    const all = this.#programs;
    if (all.length <= maxCompared) return all;
    return all.sort(([, a], [, b]) => (a.sha256 < b.sha256 ? -1 : 1)).slice(0, maxCompared);
  }
}
