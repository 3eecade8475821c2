import type { Manifest } from "../../../core/documents/manifest.ts";
import type { LegacyProgramsResponse, ProgramListResponse } from "../../../schemas/generated/types.ts";
import { comparePlaces } from "../../publish/content/snapshot-content.ts";

/** What the stored responses of a snapshot say of each other, each being valid by itself (P223). */
export interface StoredResponses {
  readonly list: ProgramListResponse;
  readonly legacy: LegacyProgramsResponse;
}

type Listed = ProgramListResponse["data"][number];

/**
 * P223: how the lists disagree with the manifest, in words without a full stop: other programs than it names,
 * one twice, another order, another count, or a legacy list that says something else. `undefined`: they
 * agree.
 */
export function listFault(
  { list, legacy }: StoredResponses,
  programs: Manifest["programs"],
): string | undefined {
  const { data, meta } = list;
  const ids = new Set(data.map(({ id }) => id));
  const unknown = data.find(({ id }) => !programs.has(id));
  const missing = [...programs.ids()].find((id) => !ids.has(id));
  const place = data.findIndex((program, at) => isBefore(program, data[at - 1]));
  if (missing !== undefined) return `the list lacks program ${missing}, which the manifest has`;
  if (unknown !== undefined) return `the list has program ${unknown.id}, which the manifest lacks`;
  if (ids.size < data.length) return "the list has a program twice";
  if (place > 0) return `the list has program ${data[place]?.id} at a wrong place`;
  if (meta.count !== data.length) return `the list counts ${meta.count} programs, and has ${data.length}`;
  if (legacy.programs.length !== data.length)
    return `the legacy list has ${legacy.programs.length} programs, and the list ${data.length}`;
  const other = data.find((program, at) => !isLegacyOf(program, legacy.programs[at]));
  return other && `the legacy list says something else of program ${other.id}`;
}

/** Whether the program stands behind one that it should precede (D8). */
function isBefore(program: Listed, before: Listed | undefined): boolean {
  if (before === undefined) return false;
  const placed = ({ id: programId, departureDate }: Listed) => ({ programId, departureDate });
  return comparePlaces(placed(program), placed(before)) < 0;
}

function isLegacyOf(
  { name, capacity }: Listed,
  legacy: LegacyProgramsResponse["programs"][number] | undefined,
) {
  const shown = typeof legacy?.capacity === "number" ? capacity.total : capacity;
  return legacy?.name === name && JSON.stringify(legacy.capacity) === JSON.stringify(shown);
}

/** P223: the detail's text begins with the element of the list (D8). */
export function detailBegins(detail: string, element: Listed): boolean {
  return detail.startsWith(`{"data":${JSON.stringify(element).slice(0, -1)},`);
}
