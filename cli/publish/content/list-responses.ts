import { Failure } from "../../../core/failure.ts";
import { type ListBodies, type ListElements, listBodies } from "./list-form.ts";

/** A program's place in the lists, and its elements there. */
export interface ListedProgram {
  readonly programId: string;
  readonly departureDate: string | null;
  readonly elements: ListElements;
}

/** Collects a tenant's programs for its lists. D151: both lists are kept in memory, so together they have at most `maxBytes`. */
export class ListResponses {
  readonly #maxBytes: number;
  readonly #list = new PackedTexts();
  readonly #legacy = new PackedTexts();
  readonly #programs: Omit<ListedProgram, "elements">[] = [];

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes a program that was read, with its elements of both lists. Throws `tenant_too_large`. */
  add(programId: string, departureDate: string | null, list: string, legacy: string): void {
    this.#list.add(list);
    this.#legacy.add(legacy);
    this.#programs.push({ programId, departureDate });
    this.#assertRoom(this.#list.size + this.#legacy.size, this.#programs.length);
  }

  /** The lists of the programs that were added and of those that were `kept`. Throws `tenant_too_large`. */
  finish(kept: readonly ListedProgram[] = []): ListBodies {
    const added = this.#programs.map((program, place) => ({
      ...program,
      elements: { list: this.#list.at(place), legacy: this.#legacy.at(place) },
    }));
    let bytes = this.#list.size + this.#legacy.size;
    for (const [at, { elements }] of kept.entries()) {
      bytes += elements.list.length + elements.legacy.length;
      this.#assertRoom(bytes, added.length + at + 1);
    }
    return listBodies([...added, ...kept].sort(inListOrder).map(({ elements }) => elements));
  }

  #assertRoom(bytes: number, programs: number): void {
    if (bytes <= this.#maxBytes) return;
    const megabytes = Math.floor(this.#maxBytes / 1024 / 1024);
    throw new Failure(
      "tenant_too_large",
      `The lists of the tenant would have more than ${megabytes} MB: its first ${programs} programs have as much. ` +
        "Partners get a list as one answer. If this is right, raise MAX_LIST_MB, and the memory of the generator with it.",
    );
  }
}

/** D8: by departure date, then by id. Ids are ASCII, so their code units are their bytes. */
function inListOrder(one: ListedProgram, other: ListedProgram): number {
  const [date, otherDate] = [one.departureDate ?? afterAllDates, other.departureDate ?? afterAllDates];
  if (date !== otherDate) return date < otherDate ? -1 : 1;
  return one.programId < other.programId ? -1 : 1;
}

const afterAllDates = "~";

/**
 * Keeps texts as bytes, one after the other. Strings of non-Latin letters would take twice the room in V8's heap, and a full heap
 * ends the process.
 */
class PackedTexts {
  #bytes = Buffer.alloc(0);
  readonly #ends: number[] = [];
  size = 0;

  add(text: string): void {
    // No UTF-16 code unit takes more than three bytes in UTF-8.
    this.#makeRoom(3 * text.length);
    this.size += this.#bytes.write(text, this.size);
    this.#ends.push(this.size);
  }

  at(place: number): Buffer {
    return this.#bytes.subarray(this.#ends[place - 1] ?? 0, this.#ends[place]);
  }

  #makeRoom(bytes: number): void {
    if (this.size + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(firstBytes, 2 * this.#bytes.length, 2 * bytes));
    this.#bytes.copy(larger, 0, 0, this.size);
    this.#bytes = larger;
  }
}

const firstBytes = 16 * 1024;
