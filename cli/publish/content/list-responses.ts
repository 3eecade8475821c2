import type { ObjectBody } from "../../../core/object-store.ts";
import { departureNumber, legacyEnds, listEnds, listOrder } from "./list-form.ts";
import type { ElementRange, LiveElements } from "./live-elements.ts";
import type { RenderedProgram } from "./rendered-program.ts";
import { Spool } from "./spool.ts";

/** Collects programs in the order of their ids and gives the list and the legacy response, both in list order (D8). */
export class ListResponses implements Disposable {
  /** Each new program's element of the list, then that of the legacy response. */
  readonly #items = new Spool();
  /** Where each of them begins. */
  readonly #starts: number[] = [];
  readonly #departures: number[] = [];
  /** For each program the number of its items, or, below zero, the line of the memory whose elements are live. */
  readonly #places: number[] = [];
  readonly #list = new Spool();
  readonly #legacy = new Spool();

  add(program: RenderedProgram, departureDate: string | null): void {
    this.#places.push(this.#starts.length / 2);
    for (const item of [program.listItem, program.legacyItem]) {
      this.#starts.push(this.#items.size);
      this.#items.append(item);
    }
    this.#departures.push(departureNumber(departureDate));
  }

  /** A program whose elements are those of the live responses. `departure`: see `departureNumber`. */
  keep(line: number, departure: number): void {
    this.#places.push(-1 - line);
    this.#departures.push(departure);
  }

  /** Whether some elements must come from the live responses. */
  get hasKept(): boolean {
    return this.#places.length > this.#starts.length / 2;
  }

  /** Both bodies live until `dispose`. Called once; `live` only where programs were kept. */
  finish(live?: LiveElements): { readonly list: ObjectBody; readonly legacy: ObjectBody } {
    const order = listOrder(this.#departures);
    this.#starts.push(this.#items.size);
    const itemsOf = (which: 0 | 1) => (place: number) => this.#rangeOfItem(2 * place + which);
    this.#write(order, this.#list, listEnds(order.length), itemsOf(0), live?.listRange);
    this.#write(order, this.#legacy, legacyEnds, itemsOf(1), live?.legacyRange);
    return { list: this.#list.finish(), legacy: this.#legacy.finish() };
  }

  [Symbol.dispose](): void {
    for (const spool of [this.#items, this.#list, this.#legacy]) spool[Symbol.dispose]();
  }

  #write(
    order: Uint32Array,
    target: Spool,
    [opening, closing]: readonly [string, string],
    itemRange: (place: number) => ElementRange,
    liveRange: ((line: number) => ElementRange) | undefined,
  ): void {
    target.append(opening);
    let run: ElementRange | undefined;
    let separator = "";
    const flush = (): void => {
      if (run === undefined) return;
      target.append(separator);
      target.appendFrom(run.spool, run.start, run.end);
      separator = ",";
    };
    for (const at of order) {
      const place = this.#places[at] ?? 0;
      const next = place >= 0 ? itemRange(place) : liveRange?.(-1 - place);
      if (next === undefined)
        throw new RangeError("elements of the live responses were kept, and are not given");
      // Neighbours that were neighbours are copied in one piece, with the comma between them.
      if (place < 0 && run?.spool === next.spool && run.end + 1 === next.start) {
        run = { ...run, end: next.end };
      } else {
        flush();
        run = next;
      }
    }
    flush();
    target.append(closing);
  }

  #rangeOfItem(item: number): ElementRange {
    return { spool: this.#items, start: this.#starts[item] ?? 0, end: this.#starts[item + 1] ?? 0 };
  }
}
