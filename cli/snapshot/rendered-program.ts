import { sha256Hex } from "../../core/object-body.ts";
import type { PublicProgram } from "../public-program/public-program.ts";

/** The canonical bytes of one program: minified UTF-8 JSON, keys in the order of the specification's tables. */
export interface RenderedProgram {
  /** The element of the list's `data`. */
  readonly listItem: Buffer;
  /** The element of the legacy resource's `programs`. */
  readonly legacyItem: Buffer;
  /** The whole detail response. */
  readonly detail: Buffer;
  readonly detailSha256: string;
}

export type LegacyCapacity = "object" | "total";

export function renderedProgram(
  program: Extract<PublicProgram, { kind: "published" }>,
  legacyCapacity: LegacyCapacity,
): RenderedProgram {
  const { listItem, detailOnly } = program;
  const { name, capacity } = listItem;
  // The detail begins with the list's very text, so the list fields of both are equal by construction.
  const listText = JSON.stringify(listItem);
  const detailText = `{"data":${listText.slice(0, -1)},${JSON.stringify(detailOnly).slice(1)}}`;
  const legacy = { name, capacity: legacyCapacity === "total" ? capacity.total : capacity };
  const detail = Buffer.from(detailText);
  return {
    listItem: Buffer.from(listText),
    legacyItem: Buffer.from(JSON.stringify(legacy)),
    detail,
    detailSha256: sha256Hex(detail),
  };
}
