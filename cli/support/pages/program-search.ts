import type { ProgramListItem } from "../../../schemas/generated/types.ts";
import { foldedText } from "../find/folded-text.ts";

/** A page of search results. */
export interface FoundPrograms {
  readonly programs: readonly ProgramListItem[];
  readonly matches: readonly ProgramListItem[];
  /** All matches. */
  readonly total: number;
  /** From 1. */
  readonly page: number;
  readonly pages: number;
}

const perPage = 50;

/** The programs whose id or name has every word of the query, whatever its case and accents. Pure. */
export function searchPrograms(
  programs: readonly ProgramListItem[],
  query: string,
  page: number,
): FoundPrograms {
  const words = foldedText(query).split(/\s+/u).filter(Boolean);
  const matches = programs.filter(({ id, name }) => {
    const text = foldedText(`${id} ${name}`);
    return words.every((word) => text.includes(word));
  });
  const pages = Math.max(1, Math.ceil(matches.length / perPage));
  const shown = Math.min(Math.max(1, page), pages);
  return {
    programs: matches.slice((shown - 1) * perPage, shown * perPage),
    matches,
    total: matches.length,
    page: shown,
    pages,
  };
}
