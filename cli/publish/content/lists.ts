import { Failure } from "../../../core/failure.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { bytesBody } from "../../../core/object-body.ts";
import type { ObjectBody, ObjectStore } from "../../../core/object-store.ts";
import { responseBytes } from "../snapshot/stored-snapshot.ts";
import type { LegacyCapacity } from "./checked-program.ts";

/** A program's place in the lists, and its elements there. */
export interface ListedProgram {
  readonly programId: string;
  readonly departureDate: string | null;
  readonly listItem: Element;
  readonly legacyItem: Element;
}

/** A text, or a piece of the live list's bytes. A `Buffer` for each piece would take longer than all else that is done with it. */
type Element = string | { readonly bytes: Buffer; readonly start: number; readonly end: number };

function byteLength(element: Element): number {
  return typeof element === "string" ? Buffer.byteLength(element) : element.end - element.start;
}

/** The list and the legacy response of a snapshot. Both name the programs in the same order. */
export type ListBodies = ReturnType<typeof listBodies>;

/**
 * The live list's programs. Elements are not parsed: as objects they would take four times their bytes, and most of a build's time.
 * Throws `corrupt_document` when the list is not what the manifest says.
 */
export async function readListed(
  store: ObjectStore,
  { list, programs }: Pick<Manifest, "list" | "programs">,
  legacyCapacity: LegacyCapacity,
  signal: AbortSignal,
): Promise<readonly ListedProgram[]> {
  // A single character beyond Latin-1 makes a text take twice its bytes, so no text is made of the whole list.
  const bytes = await responseBytes(store, list, signal);
  // The elements of the legacy list are shorter than those of the list.
  const legacyBytes = Buffer.allocUnsafe(bytes.length);
  let legacyStart = 0;
  const listed: ListedProgram[] = [];
  const end = bytes.length - listClosing(programs.count).length;
  for (let start = listOpening.length; start < end; ) {
    // The list is minified: within a text the quotes would be escaped, and no inner object begins like this.
    const next = bytes.indexOf(nextElement, start);
    const elementEnd = next === -1 ? end : next;
    const text = bytes.toString("latin1", start, elementEnd);
    const [, id = "", name] = idAndName.exec(text) ?? [];
    const [dated, departureDate = null] = departure.exec(text) ?? [];
    const [, capacity, total] = capacityAndTotal.exec(text) ?? [];
    // Then fewer programs are listed than the manifest has.
    if (dated === undefined || capacity === undefined) break;
    const legacyText = `{${name},"capacity":${legacyCapacity === "total" ? total : capacity}}`;
    const legacyEnd = legacyStart + legacyBytes.write(legacyText, legacyStart, "latin1");
    const listItem = { bytes, start, end: elementEnd };
    const legacyItem = { bytes: legacyBytes, start: legacyStart, end: legacyEnd };
    // Read anew, since V8 keeps the whole text of which a string is a part.
    const idStart = start + '{"id":"'.length;
    const programId = bytes.toString("latin1", idStart, idStart + id.length);
    listed.push({ programId, departureDate, listItem, legacyItem });
    legacyStart = legacyEnd;
    start = elementEnd + 1;
  }
  if (listed.length === programs.count && listed.every(({ programId }) => programs.has(programId)))
    return listed;
  throw new Failure("corrupt_document", `${list.key} does not list the programs of its manifest.`);
}

/*
 * D5: what the lists need of an element, which begins with id and name. The others are looked for by their keys, since another version
 * may have more of them. No text looks like a key, since its quotes are escaped.
 */
const idAndName = /^\{"id":"([^"]+)",("name":"(?:[^"\\]|\\.)*")/;
const departure = /"departureDate":(?:null|"([^"]+)")/;
const capacityAndTotal = /"capacity":(\{"total":(\d+),[^{}]*\})/;
const nextElement = Buffer.from(',{"id":"');
/** D8 */
const listOpening = '{"data":[';

function listClosing(count: number): string {
  return `],"meta":{"count":${count}}}`;
}

/** D8: by departure date, the missing ones last, then by id. Ids are ASCII, so their code units are their bytes. */
export function listBodies(programs: readonly ListedProgram[]) {
  const sorted = [...programs].sort((a, b) => {
    const [date, other] = [a.departureDate ?? afterAllDates, b.departureDate ?? afterAllDates];
    if (date !== other) return date < other ? -1 : 1;
    return a.programId < b.programId ? -1 : 1;
  });
  const list = sorted.map(({ listItem }) => listItem);
  const legacy = sorted.map(({ legacyItem }) => legacyItem);
  return {
    list: joined(listOpening, list, listClosing(list.length)),
    // D12
    legacy: joined('{"success":true,"programs":[', legacy, "]}"),
  };
}

const afterAllDates = "~";

/** Writes piece by piece: all texts as one string would take the room of the list once more. */
function joined(opening: string, elements: readonly Element[], closing: string): ObjectBody {
  const separators = Math.max(0, elements.length - 1);
  const frame = opening.length + separators + closing.length;
  const size = elements.reduce((sum, element) => sum + byteLength(element), frame);
  const bytes = Buffer.allocUnsafe(size);
  let at = bytes.write(opening);
  for (const [place, element] of elements.entries()) {
    if (place > 0) at = bytes.writeUInt8(comma, at);
    if (typeof element === "string") at += bytes.write(element, at);
    else at += element.bytes.copy(bytes, at, element.start, element.end);
  }
  bytes.write(closing, at);
  return bytesBody(bytes);
}

const comma = ",".charCodeAt(0);

/** D37: throws `tenant_too_large` when the programs' lists, which are kept in memory, have more than `maxBytes` together. */
export function requireSmallLists(programs: number, bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  throw new Failure(
    "tenant_too_large",
    `The lists of the tenant would have more than ${Math.floor(maxBytes / 1024 / 1024)} MB: its first ${programs} programs have as much. ` +
      "Partners get a list as one answer. If this is right, raise MAX_LIST_MB, and the memory of the generator with it.",
  );
}
