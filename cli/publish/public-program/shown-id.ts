import { escaped } from "../../../core/printable.ts";

/**
 * An id as people see it (P57): a well-formed one as it is, any other as a JSON string, in which spaces, line breaks and
 * invisible characters can be seen and copied. Ids are never cut, because people search for them.
 */
export function shownId(id: string | null): string {
  // NULL has no quotes, and an id of these four letters has (D130).
  if (id === null) return "NULL";
  return id !== "NULL" && /^[A-Za-z0-9._~-]+$/.test(id) ? id : escaped(JSON.stringify(id));
}
