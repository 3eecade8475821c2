import type { ObjectBody } from "../../core/object-store.ts";
import type { RenderedProgram } from "./rendered-program.ts";
import { Spool } from "./spool.ts";

/**
 * Collects programs in the order of their ids and gives the list and the legacy response, both in list order:
 * `departureDate` ascending, null last, then id (D8).
 */
export class ListResponses implements Disposable {
  /** Each program's element of the list, then that of the legacy response. */
  readonly #items = new Spool();
  /** Where each of them begins. */
  readonly #starts: number[] = [];
  readonly #departures: number[] = [];
  readonly #list = new Spool();
  readonly #legacy = new Spool();

  add(program: RenderedProgram, departureDate: string | null): void {
    for (const item of [program.listItem, program.legacyItem]) {
      this.#starts.push(this.#items.size);
      this.#items.append(item);
    }
    this.#departures.push(departureDate === null ? afterAllDates : Number(departureDate.replaceAll("-", "")));
  }

  /** The list (D13) and the legacy response (D12). Both bodies live until `dispose`. Called once. */
  finish(): { readonly list: ObjectBody; readonly legacy: ObjectBody } {
    const departures = this.#departures;
    const order = new Uint32Array(departures.length).map((_, at) => at);
    order.sort((a, b) => (departures[a] ?? 0) - (departures[b] ?? 0) || a - b);
    this.#starts.push(this.#items.size);
    const [list, legacy] = [this.#list, this.#legacy];
    list.append('{"data":[');
    legacy.append('{"success":true,"programs":[');
    order.forEach((program, at) => {
      if (at > 0) {
        list.append(",");
        legacy.append(",");
      }
      this.#copyItem(2 * program, list);
      this.#copyItem(2 * program + 1, legacy);
    });
    list.append(`],"meta":{"count":${order.length}}}`);
    legacy.append("]}");
    return { list: list.finish(), legacy: legacy.finish() };
  }

  [Symbol.dispose](): void {
    for (const spool of [this.#items, this.#list, this.#legacy]) spool[Symbol.dispose]();
  }

  #copyItem(item: number, target: Spool): void {
    target.appendFrom(this.#items, this.#starts[item] ?? 0, this.#starts[item + 1] ?? 0);
  }
}

/** Sorts after 9999-12-31. */
const afterAllDates = 100_000_000;
