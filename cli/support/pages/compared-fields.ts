/** A field with what each side says of it, `undefined` where a side does not have it. */
export interface ComparedField {
  readonly path: string;
  readonly values: readonly unknown[];
  readonly isSame: boolean;
}

/**
 * The fields of several documents side by side, those that differ first. A list of plain values is one field. A side that is
 * `undefined` could not be asked, and differs from nothing. Pure.
 */
export function comparedFields(documents: readonly unknown[]): readonly ComparedField[] {
  const sides = documents.map((document) => (document === undefined ? undefined : leaves(document)));
  const paths = new Set(sides.flatMap((side) => [...(side?.keys() ?? [])]));
  const fields = [...paths].map((path): ComparedField => {
    const values = sides.map((side) => side?.get(path));
    const asked = values.filter((_, at) => sides[at] !== undefined).map((value) => JSON.stringify(value));
    return { path, values, isSame: new Set(asked).size <= 1 };
  });
  return [...fields.filter(({ isSame }) => !isSame), ...fields.filter(({ isSame }) => isSame)];
}

function leaves(value: unknown, path = "", found = new Map<string, unknown>()): Map<string, unknown> {
  const parts = isRecord(value)
    ? Object.entries(value).map(([name, part]) => [path === "" ? name : `${path}.${name}`, part] as const)
    : Array.isArray(value) && value.some(isRecord)
      ? value.map((part, at) => [`${path}[${at}]`, part] as const)
      : undefined;
  if (parts === undefined) found.set(path, value);
  else for (const [name, part] of parts) leaves(part, name, found);
  return found;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
