import { Failure } from "../../../core/failure.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { bytesBody } from "../../../core/object-body.ts";
import type { ObjectBody, ObjectStore } from "../../../core/object-store.ts";
import { responseBytes } from "../snapshot/stored-snapshot.ts";
import { type LegacyCapacity, type ListedFacts, legacyItemText } from "./checked-program.ts";

/** A program's place in the lists, and its elements there. What is taken over from the live list stays a piece of its bytes. */
export interface ListedProgram {
  readonly programId: string;
  readonly departureDate: string | null;
  readonly listItem: string | Buffer;
  readonly legacyItem: string;
}

/** The list and the legacy response of a snapshot. Both name the programs in the same order. */
export interface ListBodies {
  readonly list: ObjectBody;
  readonly legacy: ObjectBody;
}

/**
 * The live list's programs. Each element is parsed alone, since a large list takes four times its bytes as objects. Throws
 * `corrupt_document` when the list is not what the manifest says.
 */
export async function readListed(
  store: ObjectStore,
  { list, programs }: Manifest,
  legacyCapacity: LegacyCapacity,
  signal: AbortSignal,
): Promise<readonly ListedProgram[]> {
  // A single character beyond Latin-1 makes a text take twice its bytes, so no text is made of the whole list.
  const bytes = await responseBytes(store, list, signal);
  const listed: ListedProgram[] = [];
  const end = bytes.length - listClosing(programs.count).length;
  for (let start = listOpening.length; start < end; ) {
    // The list is minified: within a text the quotes would be escaped, and no inner object begins like this.
    const next = bytes.indexOf(',{"id":"', start);
    const elementEnd = next === -1 ? end : next;
    const listItem = bytes.subarray(start, elementEnd);
    // D5: what the lists need comes before the currency. The rest, half of the text, is not parsed.
    const head = listItem.toString("utf8", 0, listItem.indexOf(',"currency":'));
    const item: ListedFacts = JSON.parse(`${head}}`);
    const legacyItem = legacyItemText(item, legacyCapacity);
    listed.push({ programId: item.id, departureDate: item.departureDate, listItem, legacyItem });
    start = elementEnd + 1;
  }
  if (listed.length === programs.count && listed.every(({ programId }) => programs.has(programId)))
    return listed;
  throw new Failure("corrupt_document", `${list.key} does not list the programs of its manifest.`);
}

/** D8 */
const listOpening = '{"data":[';

function listClosing(count: number): string {
  return `],"meta":{"count":${count}}}`;
}

/** D8: by departure date, the missing ones last, then by id. Ids are ASCII, so their code units are their bytes. */
export function listBodies(programs: readonly ListedProgram[]): ListBodies {
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
function joined(opening: string, elements: readonly (string | Buffer)[], closing: string): ObjectBody {
  const separators = Math.max(0, elements.length - 1);
  const frame = opening.length + separators + closing.length;
  const size = elements.reduce((sum, element) => sum + Buffer.byteLength(element), frame);
  const bytes = Buffer.allocUnsafe(size);
  let at = bytes.write(opening);
  for (const [place, element] of elements.entries()) {
    if (place > 0) at += bytes.write(",", at);
    at += typeof element === "string" ? bytes.write(element, at) : element.copy(bytes, at);
  }
  bytes.write(closing, at);
  return bytesBody(bytes);
}

/** D37: throws `tenant_too_large` when the programs' lists, which are kept in memory, have more than `maxBytes` together. */
export function requireSmallLists(programs: number, bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  throw new Failure(
    "tenant_too_large",
    `The lists of the tenant would have more than ${Math.floor(maxBytes / 1024 / 1024)} MB: its first ${programs} programs have as much. ` +
      "Partners get a list as one answer. If this is right, raise MAX_LIST_MB, and the memory of the generator with it.",
  );
}
