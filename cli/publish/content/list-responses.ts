import { Failure } from "../../../core/failure.ts";
import { type ListBodies, listBodies } from "./list-form.ts";

/** Collects a tenant's programs for its lists. D151: they are kept in memory, so both may have at most `maxBytes` together. */
export class ListResponses {
  readonly #maxBytes: number;
  readonly #list = new PackedTexts();
  readonly #legacy = new PackedTexts();
  readonly #dates: string[] = [];

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** A program with its elements of both lists. Called in the order of the ids. Throws `tenant_too_large`. */
  add(departureDate: string | null, list: string | Buffer, legacy: string | Buffer): void {
    this.#list.add(list);
    this.#legacy.add(legacy);
    this.#dates.push(departureDate ?? afterAllDates);
    if (this.#list.size + this.#legacy.size > this.#maxBytes) throw this.#tooLarge();
  }

  /** D8: by departure date, then by id. The sort is stable, and the programs came in the order of their ids. */
  finish(): ListBodies {
    const places = this.#dates.map((date, place) => ({ date, place }));
    places.sort((one, other) => (one.date < other.date ? -1 : one.date > other.date ? 1 : 0));
    return listBodies(
      places.map(({ place }) => ({ list: this.#list.at(place), legacy: this.#legacy.at(place) })),
    );
  }

  #tooLarge(): Failure {
    const megabytes = Math.floor(this.#maxBytes / 1024 / 1024);
    return new Failure(
      "tenant_too_large",
      `The lists of the tenant would have more than ${megabytes} MB: its first ${this.#dates.length} programs have as much. ` +
        "Partners get a list as one answer. If this is right, raise MAX_LIST_MB, and the memory of the generator with it.",
    );
  }
}

const afterAllDates = "~";

/**
 * Texts as bytes, one behind the other. As strings they would take twice the room where letters are not Latin, and belong to
 * V8's heap, whose end is the end of the process.
 */
class PackedTexts {
  #bytes = Buffer.allocUnsafeSlow(firstBytes);
  readonly #ends: number[] = [];
  size = 0;

  add(text: string | Buffer): void {
    // No UTF-16 code unit takes more than three bytes in UTF-8.
    this.#makeRoom(typeof text === "string" ? 3 * text.length : text.length);
    this.size +=
      typeof text === "string" ? this.#bytes.write(text, this.size) : text.copy(this.#bytes, this.size);
    this.#ends.push(this.size);
  }

  at(place: number): Buffer {
    return this.#bytes.subarray(this.#ends[place - 1] ?? 0, this.#ends[place]);
  }

  #makeRoom(bytes: number): void {
    if (this.size + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * Math.max(this.#bytes.length, bytes));
    this.#bytes.copy(larger, 0, 0, this.size);
    this.#bytes = larger;
  }
}

const firstBytes = 16 * 1024;
