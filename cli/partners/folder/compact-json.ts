/** JSON for people: a value that has at most `width` characters is on one line. Ends with a line break. */
export function compactJson(value: unknown, width = 84): string {
  return `${linesOf(value, 0, width)}\n`;
}

/** `taken`: the line's characters for the indentation, the key before and the comma behind. */
function linesOf(value: unknown, indentation: number, width: number, taken = indentation): string {
  const line = oneLine(value);
  if (typeof value !== "object" || value === null || taken + line.length <= width) return line;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const inner = " ".repeat(indentation + 2);
  const parts = Object.entries(value).map(([key, part]) => {
    const label = Array.isArray(value) ? "" : `${JSON.stringify(key)}: `;
    return `${inner}${label}${linesOf(part, inner.length, width, inner.length + label.length + 1)}`;
  });
  return `${open}\n${parts.join(",\n")}\n${" ".repeat(indentation)}${close}`;
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${oneLine(part)}`);
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}
