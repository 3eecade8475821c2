import { Failure } from "../../../core/failure.ts";
import type { ProgramId } from "../../../core/ids.ts";
import type { DataProblem } from "../public-program/problem.ts";
import { compareIds } from "../source/compare-ids.ts";
import { departureNumber } from "./list-form.ts";
import type { PublicFacts } from "./public-facts.ts";
import type { MemoryLine } from "./source-memory.ts";

/**
 * The lines of a memory, by number, in the order of the ids. The text stays as it was read: most lines are written again as
 * they are, and findings are looked at only where a report needs them.
 */
export class RememberedPrograms {
  readonly #text: Buffer;
  /** Where each line begins, and behind the last one the end, each with its comma and line break. */
  readonly #starts: number[] = [];
  readonly #ids: string[] = [];
  readonly #sums: string[] = [];
  /** -1 for a program that is not published. */
  readonly #departures: number[] = [];
  readonly #listBytes: number[] = [];
  readonly #legacyBytes: number[] = [];
  readonly #withFindings = new Set<number>();

  /** `text`: lines of JSON arrays, each but the last with a comma. Throws `SyntaxError`, or `corrupt_document`. */
  constructor(text: Buffer) {
    this.#text = text;
    for (let start = 0; start < text.length; ) {
      const lineBreak = text.indexOf("\n", start);
      const end = lineBreak === -1 ? text.length : lineBreak;
      this.#add(this.#parse(start, end));
      this.#starts.push(start);
      start = end + 1;
    }
    this.#starts.push(text.length + 1);
  }

  get count(): number {
    return this.#ids.length;
  }

  idAt(line: number): ProgramId {
    return at(this.#ids, line) as ProgramId;
  }

  sumAt(line: number): string {
    return at(this.#sums, line);
  }

  isPublished(line: number): boolean {
    return at(this.#departures, line) !== -1;
  }

  /** See `departureNumber`. */
  departureAt(line: number): number {
    return at(this.#departures, line);
  }

  listBytesAt(line: number): number {
    return at(this.#listBytes, line);
  }

  legacyBytesAt(line: number): number {
    return at(this.#legacyBytes, line);
  }

  findingsAt(line: number): readonly DataProblem[] {
    if (!this.#withFindings.has(line)) return [];
    const [programId, , , , , , , , ...findings] = this.#parse(...this.#rangeOf(line)) as Published;
    return findings.map(([code, field, value]) => ({ code, programId, field, value }));
  }

  /** P140: what partners see of the published program on the line, as far as the guards compare it. */
  factsAt(line: number): PublicFacts {
    const [, , , , , , parts, used] = this.#parse(...this.#rangeOf(line)) as Published;
    return { parts: BigInt(`0x${parts}`), used };
  }

  /** The line of the program, if it has one. */
  lineOf(programId: string): number | undefined {
    let [start, end] = [0, this.count];
    while (start < end) {
      const middle = Math.floor((start + end) / 2);
      if (compareIds(this.idAt(middle), programId) < 0) start = middle + 1;
      else end = middle;
    }
    return start < this.count && this.idAt(start) === programId ? start : undefined;
  }

  /** The line as it was written, without comma and line break. */
  textAt(line: number): Buffer {
    const [start, end] = this.#rangeOf(line);
    return this.#text.subarray(start, end);
  }

  #rangeOf(line: number): readonly [start: number, end: number] {
    const end = Math.min(this.#text.length, at(this.#starts, line + 1) - 1);
    return [at(this.#starts, line), this.#text[end - 1] === comma ? end - 1 : end];
  }

  #parse(start: number, end: number): MemoryLine {
    const last = this.#text[end - 1] === comma ? end - 1 : end;
    return JSON.parse(this.#text.toString("utf8", start, last));
  }

  #add(line: MemoryLine): void {
    const [programId, sum] = line;
    const before = this.#ids.at(-1);
    if (before !== undefined && before >= programId) throw disorder(programId);
    this.#ids.push(programId);
    this.#sums.push(sum);
    const isPublished = line.length > 3;
    const [, , , departureDate = null, listBytes = 0, legacyBytes = 0, , , ...findings] = line as Published;
    this.#departures.push(isPublished ? departureNumber(departureDate) : -1);
    this.#listBytes.push(listBytes);
    this.#legacyBytes.push(legacyBytes);
    if (findings.length > 0) this.#withFindings.add(this.#ids.length - 1);
  }
}

type Published = Extract<MemoryLine, { readonly 2: "active" }>;

const comma = 0x2c;

function at<Value>(values: readonly Value[], index: number): Value {
  const value = values[index];
  if (value === undefined) throw new RangeError(`no line ${index}`);
  return value;
}

function disorder(programId: string): Failure {
  return new Failure("corrupt_document", `source.json names ${programId} out of order.`);
}
