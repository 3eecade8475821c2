import { type GarbledWord, garbledWord } from "../../publish/public-program/double-encoding.ts";

/** A published field with a text that looks encoded twice. */
export interface GarbledText extends GarbledWord {
  /** Its path in the published program, such as `hotels[0].name`. */
  readonly field: string;
}

/** The fields of a published program whose texts look encoded twice, the first word of each. */
export function garbledTexts(document: unknown): readonly GarbledText[] {
  return [...walk(document, "")];
}

function* walk(value: unknown, field: string): Generator<GarbledText> {
  if (typeof value === "string") {
    const word = garbledWord(value);
    if (word !== undefined) yield { field, ...word };
  } else if (Array.isArray(value)) {
    for (const [at, element] of value.entries()) yield* walk(element, `${field}[${at}]`);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, part] of Object.entries(value))
      yield* walk(part, field === "" ? name : `${field}.${name}`);
  }
}
