import type { ObjectBody } from "../../core/object-store.ts";
import type { RenderedProgram } from "./rendered-program.ts";
import { Spool } from "./spool.ts";

/**
 * Collects programs in the order of their ids and gives the list and the legacy response, both in list order:
 * `departureDate` ascending, null last, then id.
 */
export class ListResponses implements Disposable {
  readonly #listItems = new Spool();
  readonly #legacyItems = new Spool();
  readonly #list = new Spool();
  readonly #legacy = new Spool();
  readonly #departures: number[] = [];

  add(program: RenderedProgram, departureDate: string | null): void {
    this.#listItems.append(program.listItem);
    this.#legacyItems.append(program.legacyItem);
    this.#departures.push(departureDate === null ? afterAllDates : Number(departureDate.replaceAll("-", "")));
  }

  /** Both bodies live until `dispose`. Called once. */
  finish(): { readonly list: ObjectBody; readonly legacy: ObjectBody } {
    const order = Uint32Array.from(this.#departures.keys());
    const departures = this.#departures;
    order.sort((a, b) => (departures[a] ?? 0) - (departures[b] ?? 0) || a - b);
    const end = `],"meta":{"count":${order.length}}}`;
    return {
      list: joined(this.#list, '{"data":[', this.#listItems, order, end),
      legacy: joined(this.#legacy, '{"success":true,"programs":[', this.#legacyItems, order, "]}"),
    };
  }

  [Symbol.dispose](): void {
    for (const spool of [this.#listItems, this.#legacyItems, this.#list, this.#legacy])
      spool[Symbol.dispose]();
  }
}

/** Sorts after 9999-12-31. */
const afterAllDates = 100_000_000;
const comma = Buffer.from(",");

function joined(target: Spool, start: string, items: Spool, order: Uint32Array, end: string): ObjectBody {
  target.append(Buffer.from(start));
  order.forEach((item, at) => {
    if (at > 0) target.append(comma);
    target.append(items.item(item));
  });
  target.append(Buffer.from(end));
  return target.finish();
}
