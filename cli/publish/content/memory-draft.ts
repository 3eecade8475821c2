import type { DataProblem } from "../public-program/problem.ts";
import type { PublicFacts } from "./public-facts.ts";
import type { RememberedPrograms } from "./remembered-programs.ts";
import {
  type MemoryHead,
  type MemoryLine,
  type MemoryTail,
  memoryClosing,
  memoryOpening,
  memorySeal,
} from "./source-memory.ts";
import { Spool } from "./spool.ts";

/** A program with more findings has no line, and is read by each build: so a line is bounded, and reports lose nothing. */
export const maxFindingsOfLine = 50;

/** The lines of the next memory, in the order of the ids: those of the last one that still hold, and new ones. */
export class MemoryDraft implements Disposable {
  readonly #lines = new Spool();
  /** The number of a kept line, or -1 for the next of the new ones. */
  readonly #order: number[] = [];
  readonly #ends: number[] = [];

  keep(line: number): void {
    this.#order.push(line);
  }

  add(line: MemoryLine): void {
    this.#order.push(-1);
    this.#lines.append(JSON.stringify(line));
    this.#ends.push(this.#lines.size);
  }

  /** New lines so far. */
  get added(): number {
    return this.#ends.length;
  }

  /** Lines of the last memory so far. */
  get kept(): number {
    return this.#order.length - this.added;
  }

  /** Appends the whole document to the spool, which is empty. */
  writeTo(spool: Spool, head: MemoryHead, tail: MemoryTail, kept: RememberedPrograms | undefined): void {
    spool.append(memoryOpening(head));
    let next = 0;
    let separator = "\n";
    for (const line of this.#order) {
      spool.append(separator);
      separator = ",\n";
      if (line === -1) {
        spool.appendFrom(this.#lines, this.#ends[next - 1] ?? 0, this.#ends[next] ?? 0);
        next += 1;
      } else if (kept !== undefined) {
        spool.appendBytes(kept.textAt(line));
      }
    }
    spool.append(memoryClosing(tail));
    spool.append(memorySeal(spool.digestSoFar()));
  }

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]();
  }
}

export function publishedLine(
  programId: string,
  sum: string,
  { departureDate, listBytes, legacyBytes, facts }: PublishedFacts,
  findings: readonly DataProblem[],
): MemoryLine {
  const remembered = findings.map(({ code, field, value }) => [code, field, value] as const);
  const parts = facts.parts.toString(16);
  return [programId, sum, "active", departureDate, listBytes, legacyBytes, parts, facts.used, ...remembered];
}

interface PublishedFacts {
  readonly departureDate: string | null;
  readonly listBytes: number;
  readonly legacyBytes: number;
  readonly facts: PublicFacts;
}
