import { escaped } from "../../../core/printable.ts";

/**
 * P57: an id of foreign origin for people: as it is where that leaves no doubt, else as a string of JSON, in which spaces, line
 * breaks and what takes no place can be seen and copied. `null`, for NULL, is no string. Never cut: whoever looks for it needs all of it.
 */
export function shownId(id: string | null): string {
  // D131: the id of these four letters has quotes.
  if (id === null) return "NULL";
  return id !== "NULL" && /^[A-Za-z0-9._~-]+$/.test(id) ? id : escaped(JSON.stringify(id));
}
