import { escaped } from "../../core/printable.ts";

/**
 * P57: an id of foreign origin for people: as it is where that leaves no doubt, else as a string of JSON, in which spaces, line
 * breaks and what takes no place can be seen and copied. Never cut: whoever looks for it needs all of it.
 */
export function shownId(id: string): string {
  return /^[A-Za-z0-9._~-]+$/.test(id) ? id : escaped(JSON.stringify(id));
}
