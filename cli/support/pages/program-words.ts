import type { ProgramDetail } from "../../../schemas/generated/types.ts";

/** The fields without any published value, by their names in the API. */
export function emptyFields(program: ProgramDetail): readonly string[] {
  return Object.entries(program)
    .filter(([, value]) => value === null || (Array.isArray(value) && value.length === 0))
    .map(([name]) => name);
}
