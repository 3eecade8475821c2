import { type ProgramRecord, ProgramTable } from "../../../core/documents/program-table.ts";
import { Failure } from "../../../core/ground/failure.ts";
import type { ProgramId } from "../../../core/ground/ids.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import type { ObjectBody } from "../../../core/store/object-store.ts";
import { listFields } from "../../../schemas/generated/public-fields.ts";
import type { ProgramDetail } from "../../../schemas/generated/types.ts";
import { type LegacyCapacity, legacyItemOf, type RenderedProgram } from "./checked-program.ts";
import {
  type ListElement,
  type ListedProgram,
  legacyClosing,
  legacyOpening,
  listClosing,
  listOpening,
} from "./lists.ts";

/** Content that would not agree with itself (P223). It is never published. */
export class ContentFault extends Failure {
  constructor(what: string) {
    super(
      "internal",
      `The new snapshot would not agree with itself: ${what}. Nothing of it is published. This is a defect of this program, please report it.`,
    );
  }
}

/** The list and the legacy response of a snapshot. Both name the programs in the same order. */
export interface ListBodies {
  readonly list: ObjectBody;
  readonly legacy: ObjectBody;
}

/**
 * What a snapshot will say to partners: the details of its programs, and both lists. P223: there is no other
 * way to make one than `of`, which takes each program's detail and elements by the same id. So the lists name
 * exactly the programs of the manifest, each once.
 */
export class SnapshotContent {
  // Private fields, so that no other object passes as one that was proven.
  readonly #programs: ProgramTable;
  readonly #lists: ListBodies;

  private constructor(programs: ProgramTable, lists: ListBodies) {
    this.#programs = programs;
    this.#lists = lists;
  }

  /** The details, in the order in which `of` got their ids. */
  get programs(): ProgramTable {
    return this.#programs;
  }

  get lists(): ListBodies {
    return this.#lists;
  }

  /**
   * `count`: how many programs there are by what was counted while they were read. Throws `ContentFault`
   * unless each id has its elements and its detail, there are as many, and none stands twice.
   */
  static of(
    ids: Iterable<string>,
    count: number,
    listedOf: (id: string) => ListedProgram | undefined,
    recordOf: (id: string) => ProgramRecord | undefined,
  ): SnapshotContent {
    const programs = new ProgramTable(count);
    const listed: ListedProgram[] = [];
    for (const id of ids) {
      const [program, record] = [listedOf(id), recordOf(id)];
      if (program === undefined) throw new ContentFault(`program ${id} is not in the list`);
      if (record === undefined) throw new ContentFault(`program ${id} has no detail`);
      if (program.programId !== id || !beginsWith(program.listItem, `{"id":"${id}",`))
        throw new ContentFault(`the list has another program in the place of ${id}`);
      if (!beginsWith(program.legacyItem, '{"name":"'))
        throw new ContentFault(`the legacy list has something else in the place of program ${id}`);
      if (!programs.add(program.programId, record))
        throw new ContentFault(`program ${id} stands there twice`);
      listed.push(program);
    }
    if (programs.count !== count)
      throw new ContentFault(`it has ${programs.count} program(s), and ${count} were counted`);
    return new SnapshotContent(programs, listBodies(listed));
  }
}

/**
 * P223: the elements and the detail's record of a program that was rendered now. Throws `ContentFault` unless
 * the detail begins with the list's element, which is what makes both agree (D8).
 */
export function listedProgram(
  programId: ProgramId,
  departureDate: string | null,
  { listItem, legacyItem, detail }: Pick<RenderedProgram, "listItem" | "legacyItem" | "detail">,
): ListedProgram {
  const opening = '{"data":';
  const start = `${opening}${listItem.slice(0, -1)},`;
  if (!detail.startsWith(start)) throw new ContentFault(`the detail of ${programId} differs from the list`);
  return { programId, departureDate, listItem, legacyItem };
}

/** The same of a detail that is stored: as JSON, its list fields are the list's element (D8). */
export function listedAgain(
  program: ProgramDetail,
  detail: Buffer,
  legacyCapacity: LegacyCapacity,
): ListedProgram {
  const fields = Object.entries(program).filter(([name]) => listFields.includes(name));
  const listItem = JSON.stringify(Object.fromEntries(fields));
  const rendered = { listItem, legacyItem: legacyItemOf(program, legacyCapacity), detail: detail.toString() };
  return listedProgram(program.id as ProgramId, program.departureDate, rendered);
}

function beginsWith(element: ListElement, text: string): boolean {
  if (typeof element === "string") return element.startsWith(text);
  const { bytes, start, end } = element;
  return end - start > text.length && bytes.toString("latin1", start, start + text.length) === text;
}

interface Place {
  readonly programId: string;
  readonly departureDate: string | null;
}

/** D8: by departure date, missing ones last, then by id. Ids are ASCII, so code units order like bytes. */
export function comparePlaces({ programId, departureDate }: Place, other: Place): number {
  const [date, otherDate] = [departureDate ?? afterAllDates, other.departureDate ?? afterAllDates];
  if (date !== otherDate) return date < otherDate ? -1 : 1;
  return programId < other.programId ? -1 : 1;
}

const afterAllDates = "~";

/** The lists of these programs, each of which stands there once. */
export function listBodies(programs: readonly ListedProgram[]): ListBodies {
  const sorted = [...programs].sort(comparePlaces);
  const list = sorted.map(({ listItem }) => listItem);
  const legacy = sorted.map(({ legacyItem }) => legacyItem);
  return {
    list: joined(listOpening, list, listClosing(list.length)),
    legacy: joined(legacyOpening, legacy, legacyClosing),
  };
}

/** Writes piece by piece: all texts as one string would take the room of the list once more. */
function joined(opening: string, elements: readonly ListElement[], closing: string): ObjectBody {
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

function byteLength(element: ListElement): number {
  return typeof element === "string" ? Buffer.byteLength(element) : element.end - element.start;
}

/** D37: throws `tenant_too_large` when the programs' lists, held in memory, exceed `maxBytes` together. */
export function requireSmallLists(programs: number, bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  throw new Failure(
    "tenant_too_large",
    `The lists of the tenant would have more than ${Math.floor(maxBytes / 1024 / 1024)} MB: its first ${programs} programs have as much. ` +
      "Partners get a list as one answer. If this is right, raise MAX_LIST_MB, and the memory of the generator with it.",
  );
}
