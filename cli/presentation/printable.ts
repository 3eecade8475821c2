/**
 * Text of foreign origin for one line of a terminal: line breaks become spaces, and characters that steer a terminal
 * or turn its writing direction become visible escapes, so that a program's name can neither forge nor hide output.
 */
export function printable(text: string): string {
  return text.replace(/\s+/gu, " ").replace(steering, escaped);
}

/** JSON for people; what `JSON.stringify` leaves raw and a terminal would obey is escaped, which keeps it JSON. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(steeringInJson, escaped);
}

/** The beginning of the text if it is longer than `max` characters, with an ellipsis. */
export function shortened(text: string, max: number): string {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("")}…`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** C0 and C1 controls, and the bidirectional overrides and isolates. */
const steering = /[\p{Control}\u202a-\u202e\u2066-\u2069]/gu;
const steeringInJson = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
