import type { Manifest } from "../../../core/documents/manifest.ts";
import { Failure } from "../../../core/ground/failure.ts";
import type { ProgramId } from "../../../core/ground/ids.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { ProgramListItem } from "../../../schemas/generated/types.ts";
import { responseBytes } from "../snapshot/stored-snapshot.ts";
import type { LegacyCapacity } from "./checked-program.ts";

/** A program's place in the lists, and its elements there. */
export interface ListedProgram {
  readonly programId: ProgramId;
  readonly departureDate: string | null;
  readonly listItem: ListElement;
  readonly legacyItem: ListElement;
}

/** A text, or a piece of a list's bytes. A `Buffer` for each piece would take longer than all other work. */
export type ListElement = string | BytesPiece;

interface BytesPiece {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

export function elementText(element: ListElement): string {
  if (typeof element === "string") return element;
  return element.bytes.toString("utf8", element.start, element.end);
}

/**
 * Keeps the elements of many programs as bytes outside of V8's heap. As texts they would be most of what a
 * first build holds until its end, and the heap grows to more than twice of what it holds.
 */
export class KeptElements {
  #bytes = Buffer.alloc(0);
  #used = 0;
  #size = 0;

  /** The bytes of all that is kept. */
  get size(): number {
    return this.#size;
  }

  /** The same program with its elements as bytes. */
  kept({ programId, departureDate, listItem, legacyItem }: ListedProgram): ListedProgram {
    return { programId, departureDate, listItem: this.#piece(listItem), legacyItem: this.#piece(legacyItem) };
  }

  #piece(element: ListElement): BytesPiece {
    if (typeof element !== "string") return element;
    const size = Buffer.byteLength(element);
    if (this.#used + size > this.#bytes.length) {
      this.#bytes = Buffer.allocUnsafeSlow(Math.max(size, chunkBytes));
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += this.#bytes.write(element, start);
    this.#size += size;
    return { bytes: this.#bytes, start, end: this.#used };
  }
}

const chunkBytes = 256 * 1024;

/** The program of the element as partners read it. */
export function parsedItem({ listItem }: ListedProgram): ProgramListItem {
  return JSON.parse(elementText(listItem));
}

/** The day on which the program ends: its return, else its departure. The element is not parsed for it. */
export function lastDay({ listItem, departureDate }: ListedProgram): string | null {
  return /"returnDate":"([^"]*)"/.exec(elementText(listItem))?.[1] ?? departureDate;
}

/** The programs of a snapshot's lists by their ids, each once, and exactly those of its manifest. */
export type ListedPrograms = ReadonlyMap<string, ListedProgram>;

/**
 * The programs of the live list. Their elements of the legacy list are made of it, with the capacity as
 * `legacyCapacity` says. Elements are not parsed: as objects they would take four times their bytes, and most
 * of a build's time. Throws `corrupt_document` when the list is not what the manifest says, or does not name
 * its programs.
 */
export async function readListed(
  store: ObjectStore,
  { list, programs }: Pick<Manifest, "list" | "programs">,
  legacyCapacity: LegacyCapacity,
  signal: AbortSignal,
): Promise<ListedPrograms> {
  // One character beyond Latin-1 makes a text take twice its bytes, so no text is made of the whole list.
  const bytes = await responseBytes(store, list, signal);
  // The elements of the legacy list are shorter than those of the list.
  const legacy = Buffer.allocUnsafe(bytes.length);
  let used = 0;
  return listedPrograms(bytes, { list, programs }, (parts) => {
    const start = used;
    used += legacy.write("{", used);
    used += bytes.copy(legacy, used, parts.name.start, parts.name.end);
    used += legacy.write(',"capacity":', used);
    const { start: from, end } = legacyCapacity === "total" ? parts.total : parts.capacity;
    used += bytes.copy(legacy, used, from, end);
    used += legacy.write("}", used);
    return { bytes: legacy, start, end: used };
  });
}

/** The programs of both live lists, with their very bytes there. Throws as `readListed` does. */
export async function readBothListed(
  store: ObjectStore,
  { list, legacy, programs }: Pick<Manifest, "list" | "legacy" | "programs">,
  signal: AbortSignal,
): Promise<ListedPrograms> {
  const bytes = await responseBytes(store, list, signal);
  const elements = legacyElements(await responseBytes(store, legacy, signal));
  if (elements.length !== programs.count) throw disagreement(legacy.key);
  // Both lists name the programs in the same order.
  let at = 0;
  return listedPrograms(bytes, { list, programs }, () => elements[at++] ?? "");
}

/** Where the parts of an element stand that the legacy list shows, too. */
interface ElementParts {
  readonly id: string;
  readonly departureDate: string | null;
  /** With its key. */
  readonly name: Range;
  readonly capacity: Range;
  readonly total: Range;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function listedPrograms(
  bytes: Buffer,
  { list, programs }: Pick<Manifest, "list" | "programs">,
  legacyItemOf: (parts: ElementParts) => ListElement,
): ListedPrograms {
  const listed = new Map<string, ListedProgram>();
  const end = bytes.length - listClosing(programs.count).length;
  for (let start = listOpening.length; start < end; ) {
    // The list is minified: within a text the quotes would be escaped, and no inner object begins like this.
    const next = bytes.indexOf(nextElement, start);
    const elementEnd = next === -1 ? end : next;
    const parts = elementParts(bytes, start, elementEnd);
    if (parts === undefined || !programs.has(parts.id) || listed.has(parts.id)) throw disagreement(list.key);
    // The manifest has valid ids only.
    const programId = parts.id as ProgramId;
    const listItem = { bytes, start, end: elementEnd };
    const { departureDate } = parts;
    listed.set(programId, { programId, departureDate, listItem, legacyItem: legacyItemOf(parts) });
    start = elementEnd + 1;
  }
  if (listed.size !== programs.count) throw disagreement(list.key);
  return listed;
}

function disagreement(key: string): Failure {
  return new Failure("corrupt_document", `${key} does not list the programs of its manifest.`);
}

/**
 * D5: what the lists need of an element, which begins with id and name. The other parts are looked for by
 * their keys, since another version may have more of them. No text looks like a key, since its quotes are
 * escaped. No regular expression is used: one that passes over escaped characters overflows its stack on a
 * name of some million characters (P223).
 */
function elementParts(bytes: Buffer, start: number, end: number): ElementParts | undefined {
  const idStart = start + elementOpening.length;
  const idEnd = bytes.indexOf(quote, idStart);
  const nameStart = idEnd + afterId.length;
  if (bytes.compare(elementOpening, 0, elementOpening.length, start, idStart) !== 0) return undefined;
  if (idEnd < 0 || bytes.compare(afterId, 0, afterId.length, idEnd, nameStart) !== 0) return undefined;
  const nameEnd = textEnd(bytes, nameStart);
  const dated = bytes.indexOf(departureKey, nameEnd);
  const capacity = bytes.indexOf(capacityKey, nameEnd);
  if (nameEnd < 0 || dated < 0 || capacity < 0 || dated > end || capacity > end) return undefined;
  const date = dated + departureKey.length;
  const isDated = bytes[date] === quote;
  const totalStart = capacity + capacityKey.length;
  return {
    // Decoded anew, since V8 keeps the whole text of which a string is a part.
    id: bytes.toString("latin1", idStart, idEnd),
    departureDate: isDated ? bytes.toString("latin1", date + 1, bytes.indexOf(quote, date + 1)) : null,
    name: { start: idEnd + 2, end: nameEnd },
    capacity: { start: capacity + '"capacity":'.length, end: bytes.indexOf("}", totalStart) + 1 },
    total: { start: totalStart, end: bytes.indexOf(",", totalStart) },
  };
}

/** The place behind the closing quote of the JSON text that begins at `start`; -1 when it has none. */
function textEnd(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(quote, start); at >= 0; at = bytes.indexOf(quote, at + 1)) {
    let escapes = 0;
    while (at - escapes > start && bytes[at - escapes - 1] === backslash) escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
  return -1;
}

const quote = '"'.charCodeAt(0);
const backslash = "\\".charCodeAt(0);
const elementOpening = Buffer.from('{"id":"');
const nextElement = Buffer.from(',{"id":"');
const afterId = Buffer.from('","name":"');
const departureKey = Buffer.from('"departureDate":');
const capacityKey = Buffer.from('"capacity":{"total":');

/** D8 */
export const listOpening = '{"data":[';

export function listClosing(count: number): string {
  return `],"meta":{"count":${count}}}`;
}

/** D12 */
export const legacyOpening = '{"success":true,"programs":[';
export const legacyClosing = "]}";

/** The elements of a legacy list, in order. No inner object begins with a name. */
function legacyElements(bytes: Buffer): readonly BytesPiece[] {
  const elements: BytesPiece[] = [];
  const last = bytes.length - legacyClosing.length;
  for (let start = legacyOpening.length; start < last; ) {
    const next = bytes.indexOf(nextLegacyElement, start);
    const end = next === -1 ? last : next;
    elements.push({ bytes, start, end });
    start = end + 1;
  }
  return elements;
}

const nextLegacyElement = Buffer.from(',{"name":"');
