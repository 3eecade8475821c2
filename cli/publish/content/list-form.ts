import { Failure } from "../../../core/failure.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { bytesBody } from "../../../core/object-body.ts";
import type { ObjectBody, ObjectStore } from "../../../core/object-store.ts";
import { responseBytes } from "../snapshot/stored-response.ts";

export interface ListElements {
  readonly list: Buffer;
  readonly legacy: Buffer;
}

/** The list and the legacy response of a snapshot. Both name the programs in the same order. */
export interface ListBodies {
  readonly list: ObjectBody;
  readonly legacy: ObjectBody;
}

export function listBodies(elements: readonly ListElements[]): ListBodies {
  return {
    list: joined(
      listForm,
      elements.map(({ list }) => list),
    ),
    legacy: joined(
      legacyForm,
      elements.map(({ legacy }) => legacy),
    ),
  };
}

/**
 * The elements of the stored lists by program, in list order. Throws `corrupt_document` when the lists are not what the manifest
 * says.
 */
export async function readListElements(
  store: ObjectStore,
  manifest: Manifest,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ListElements>> {
  const list = await responseBytes(store, manifest.list, signal);
  const legacy = await responseBytes(store, manifest.legacy, signal);
  const elements = listElements(list, legacy, manifest.programs.count);
  if (elements !== undefined) return elements;
  throw new Failure("corrupt_document", `${manifest.list.key} does not list the programs of its manifest.`);
}

/** The elements of both responses by program, in list order; `undefined` unless there are `count` in each. */
export function listElements(
  list: Buffer,
  legacy: Buffer,
  count: number,
): ReadonlyMap<string, ListElements> | undefined {
  const again = elementsOf(legacy, legacyForm, count);
  const found = new Map<string, ListElements>();
  for (const [at, element] of elementsOf(list, listForm, count).entries()) {
    found.set(idOf(element), { list: element, legacy: again[at] ?? element });
  }
  return found.size === count && again.length === count ? found : undefined;
}

/**
 * How the generator writes a list. It is minified, so an element's first bytes occur nowhere within an element: in a text the
 * quotes would be escaped, and no inner object begins like this.
 */
interface ListForm {
  readonly opening: string;
  readonly element: string;
  readonly closing: (count: number) => string;
}

/** D13 */
const listForm: ListForm = {
  opening: '{"data":[',
  element: '{"id":"',
  closing: (count) => `],"meta":{"count":${count}}}`,
};

/** D12 */
const legacyForm: ListForm = {
  opening: '{"success":true,"programs":[',
  element: '{"name":',
  closing: () => "]}",
};

const comma = Buffer.from(",");

function joined({ opening, closing }: ListForm, elements: readonly Buffer[]): ObjectBody {
  const pieces: Buffer[] = [Buffer.from(opening)];
  for (const [at, element] of elements.entries()) {
    if (at > 0) pieces.push(comma);
    pieces.push(element);
  }
  pieces.push(Buffer.from(closing(elements.length)));
  return bytesBody(Buffer.concat(pieces));
}

function elementsOf(body: Buffer, form: ListForm, count: number): readonly Buffer[] {
  const next = Buffer.from(`,${form.element}`);
  const end = body.length - form.closing(count).length;
  const elements: Buffer[] = [];
  for (let start = form.opening.length; start < end; ) {
    const found = body.indexOf(next, start);
    const elementEnd = found === -1 ? end : found;
    elements.push(body.subarray(start, elementEnd));
    start = elementEnd + 1;
  }
  return elements;
}

/** Ids have no character that JSON escapes. */
function idOf(element: Buffer): string {
  const start = listForm.element.length;
  return element.toString("latin1", start, element.indexOf('"', start));
}
