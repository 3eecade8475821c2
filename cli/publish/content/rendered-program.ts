import { hash } from "node:crypto";
import type { PublicProgram } from "../public-program/public-program.ts";

/**
 * The canonical text of one program: minified JSON, keys in the order of the specification's tables (D5). Its bytes are its
 * UTF-8; they are made where they are needed, since those of most programs are known already.
 */
export interface RenderedProgram {
  /** The element of the list's `data`. */
  readonly listItem: string;
  /** The element of the legacy resource's `programs`. */
  readonly legacyItem: string;
  /** The whole detail response. */
  readonly detail: string;
  /** Of the bytes. */
  readonly detailSha256: string;
}

export type LegacyCapacity = "object" | "total";

export function renderedProgram(
  program: Extract<PublicProgram, { kind: "published" }>,
  legacyCapacity: LegacyCapacity,
): RenderedProgram {
  const { listItem, detailOnly } = program;
  const { name, capacity } = listItem;
  // D9: the detail begins with the list's very text, so the list fields of both are equal by construction.
  const listText = JSON.stringify(listItem);
  const detail = `{"data":${listText.slice(0, -1)},${JSON.stringify(detailOnly).slice(1)}}`;
  const legacy = { name, capacity: legacyCapacity === "total" ? capacity.total : capacity };
  return {
    listItem: listText,
    legacyItem: JSON.stringify(legacy),
    detail,
    detailSha256: hash("sha256", detail, "hex"),
  };
}
